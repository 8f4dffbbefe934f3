import { hashText, Random } from '../../services/indexer/seed/random.js'
import { type Skill, type StoredSkill, skillId } from '../../shared/records/skill.js'
import { pick, pickByParts } from './pick.js'

/** Who writes: the catalog's own store, or another program that writes into the same database. */
export type Writer = 'store' | 'crawler'

/**
 * What is done to one skill. `moderate`: while the store writes it from a source that does not say whether it is to be
 * shown, a moderator hides it in the database. Together the writes of a seed are always the same, in the same order. */
export interface PlannedWrite {
  /** Milliseconds from the beginning of its round. */
  atMs: number
  by: Writer
  kind: 'add' | 'edit' | 'replace' | 'hide' | 'moderate' | 'show' | 'delete' | 'vanish' | 'rename' | 'recreate'
  /** The crawler's name for the document; it stays when the skill is renamed. */
  document: string
  /** The skill as it is from then on, in the state that it is from then on. */
  skill: StoredSkill
  /** The id that it had before; null: the same. */
  leaves: string | null
}

interface Entity {
  by: Writer
  document: string
  /** Tells it from every other one, whatever it is called. */
  number: number
  owner: string
  repo: string
  state: 'published' | 'hidden' | 'removed' | 'vanished'
  formerIds: string[]
}

type Kind = PlannedWrite['kind']

/** How often each is chosen for a skill in this state, in parts of the whole. */
const choices: Record<Entity['state'], [Kind, number][]> = {
  published: [
    ['edit', 60],
    ['hide', 10],
    ['moderate', 10],
    ['delete', 10],
    ['rename', 8],
    ['replace', 6],
    ['vanish', 6],
  ],
  hidden: [
    ['show', 60],
    ['edit', 20],
    ['delete', 20],
  ],
  removed: [['recreate', 100]],
  vanished: [['recreate', 100]],
}

const stateAfter: Record<Kind, Entity['state'] | null> = {
  add: 'published',
  edit: null,
  replace: null,
  rename: null,
  hide: 'hidden',
  moderate: 'hidden',
  show: 'published',
  delete: 'removed',
  vanish: 'vanished',
  recreate: 'published',
}

const initialSkills = 100
const mostSkills = 300
const owners = ['harrow', 'Millfield', 'quay-and-sons', 'Teasel']
const nouns = ['ledger', 'kiln', 'harbor', 'loom', 'orchard', 'signal', 'quarry', 'lantern']

/** Plans what writers do, round by round, from a seed. */
export class WritePlan {
  readonly #random: Random
  readonly #writers: Writer[]
  readonly #entities: Entity[] = []
  #version = 0

  constructor(seed: number, writers: Writer[]) {
    this.#random = new Random(seed, 'writes')
    this.#writers = writers
  }

  /** What is there before anything happens. */
  begin(): PlannedWrite[] {
    return this.#writers.flatMap((by) => Array.from({ length: initialSkills }, () => this.#add(0, by)))
  }

  round(lengthMs: number): PlannedWrite[] {
    const writes: PlannedWrite[] = []
    for (let atMs = 0; atMs < lengthMs; atMs += this.#random.between(20, 220)) {
      const by = pick(this.#random, this.#writers)
      const own = this.#entities.filter((entity) => entity.by === by)
      writes.push(
        own.length < mostSkills && this.#random.chance(0.06)
          ? this.#add(atMs, by)
          : this.#change(atMs, pick(this.#random, own)),
      )
    }
    return writes
  }

  #add(atMs: number, by: Writer): PlannedWrite {
    const number = this.#entities.length + 1
    // Nobody writes what another one writes: the last writer would win, and which one that is cannot be planned.
    const owner = by === 'store' ? pick(this.#random, owners) : `${pick(this.#random, owners)}-crawled`
    const repo = `${pick(this.#random, nouns)}-${number}`
    const entity: Entity = { by, document: `doc-${number}`, number, owner, repo, state: 'published', formerIds: [] }
    this.#entities.push(entity)
    return this.#write(atMs, entity, 'add', null)
  }

  #change(atMs: number, entity: Entity): PlannedWrite {
    const kind = this.#choose(entity)
    const before = skillId(entity.owner, entity.repo)
    if (kind === 'rename') {
      entity.formerIds = [...entity.formerIds, before]
      entity.repo = `${entity.repo.replace(/-now-.*/, '')}-now-${this.#version}`
    }
    if (kind === 'recreate' && entity.state === 'vanished') {
      // Another document, which knows nothing of the names that the one before it had.
      entity.document = `${entity.document.replace(/\+.*/, '')}+${this.#version}`
      entity.formerIds = []
    }
    entity.state = stateAfter[kind] ?? entity.state
    return this.#write(atMs, entity, kind, kind === 'rename' ? before : null)
  }

  #choose(entity: Entity): Kind {
    const possible = choices[entity.state].filter(([kind]) => {
      if (kind === 'vanish') {
        return entity.by === 'crawler'
      }
      if (kind === 'moderate') {
        return entity.by === 'store' && this.#writers.includes('crawler')
      }
      // A document that is replaced whole has forgotten what it was called before, and who read it does not know.
      return kind !== 'replace' || (entity.by === 'crawler' && entity.formerIds.length === 0)
    })
    return pickByParts(this.#random, possible)
  }

  #write(atMs: number, entity: Entity, kind: Kind, leaves: string | null): PlannedWrite {
    const { by, document, state, formerIds } = entity
    this.#version += 1
    const skill: StoredSkill = {
      ...contentAt(entity, this.#version),
      state: state === 'vanished' ? 'removed' : state,
      removedAt: null,
      formerIds,
    }
    return { atMs, by, kind, document, skill, leaves }
  }
}

/** The one word of a version: far from those of all others. */
export function wordOf(version: number): string {
  const letters = 'bcdfghjklmnpqrstvwxz'
  let left = hashText(`version ${version}`)
  let word = ''
  while (word.length < 7) {
    word += letters[left % letters.length]
    left = Math.floor(left / letters.length)
  }
  return word
}

/** Every field but those of its identity tells the version: a mixture of two is seen, whichever fields are mixed. */
function contentAt({ owner, repo, number }: Entity, version: number): Skill {
  const at = new Date(Date.UTC(2026, 0, 1) + version * 1_000).toISOString()
  return {
    id: skillId(owner, repo),
    owner,
    repo,
    name: `Tool ${version}`,
    description: `It is in its state ${version} called ${wordOf(version)}, and made for tests.`,
    topics: ['tests', `version-${version}`],
    license: `License-${version}`,
    language: `Language ${version}`,
    homepage: `https://tools.example/versions/${version}`,
    url: `https://code.example/versions/${version}`,
    stars: version,
    forks: 2 * version,
    version: `1.0.${version}`,
    archived: version % 2 === 0,
    // The one that stays: a walk in this order meets each skill where it was.
    createdAt: new Date(Date.UTC(2020, 0, 1) + number * 1_000).toISOString(),
    updatedAt: at,
    publishedAt: at,
    indexedAt: null,
  }
}
