import { hashText, Random } from '../../services/indexer/seed/random.js'
import { type Skill, type StoredSkill, skillId } from '../../shared/records/skill.js'
import { pick, pickWeighted } from './pick.js'

/** The catalog's store, or another application that writes into the same database. */
export type Writer = 'store' | 'crawler'

/**
 * A write of one skill. `moderate`: while the store writes it from a source without a state, a moderator hides it in the
 * database. The writes of a seed are always the same, in the same order.
 */
export interface PlannedWrite {
  /** Milliseconds from the start of its round. */
  atMs: number
  by: Writer
  kind: 'add' | 'edit' | 'replace' | 'hide' | 'moderate' | 'show' | 'delete' | 'vanish' | 'rename' | 'recreate'
  /** The crawler's name for the document; it stays when the skill is renamed. */
  document: string
  /** The skill after the write. */
  skill: StoredSkill
  /** The id before a rename; null: unchanged. */
  previousId: string | null
}

interface Entity {
  by: Writer
  document: string
  /** Unique, also after a rename. */
  number: number
  owner: string
  repo: string
  state: 'published' | 'hidden' | 'removed' | 'vanished'
  formerIds: string[]
}

type Kind = PlannedWrite['kind']

/** Weights of the kinds of writes for a skill in each state. */
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
const maxSkills = 300
const owners = ['harrow', 'Millfield', 'quay-and-sons', 'Teasel']
const nouns = ['ledger', 'kiln', 'harbor', 'loom', 'orchard', 'signal', 'quarry', 'lantern']

/** Plans the writes of each round from a seed. */
export class WritePlan {
  readonly #random: Random
  readonly #writers: Writer[]
  readonly #entities: Entity[] = []
  #version = 0

  constructor(seed: number, writers: Writer[]) {
    this.#random = new Random(seed, 'writes')
    this.#writers = writers
  }

  /** The initial skills. */
  begin(): PlannedWrite[] {
    return this.#writers.flatMap((by) => Array.from({ length: initialSkills }, () => this.#add(0, by)))
  }

  round(lengthMs: number): PlannedWrite[] {
    const writes: PlannedWrite[] = []
    for (let atMs = 0; atMs < lengthMs; atMs += this.#random.between(20, 220)) {
      const by = pick(this.#random, this.#writers)
      const own = this.#entities.filter((entity) => entity.by === by)
      writes.push(
        own.length < maxSkills && this.#random.chance(0.06)
          ? this.#add(atMs, by)
          : this.#change(atMs, pick(this.#random, own)),
      )
    }
    return writes
  }

  #add(atMs: number, by: Writer): PlannedWrite {
    const number = this.#entities.length + 1
    // Each skill has one writer: of two, the last one would win, which cannot be planned.
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
      // A new document, without the former names of the deleted one.
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
      // A replaced document loses its former names, and readers cannot know when.
      return kind !== 'replace' || (entity.by === 'crawler' && entity.formerIds.length === 0)
    })
    return pickWeighted(this.#random, possible)
  }

  #write(atMs: number, entity: Entity, kind: Kind, previousId: string | null): PlannedWrite {
    const { by, document, state, formerIds } = entity
    this.#version += 1
    const skill: StoredSkill = {
      ...contentAt(entity, this.#version),
      state: state === 'vanished' ? 'removed' : state,
      removedAt: null,
      formerIds,
    }
    return { atMs, by, kind, document, skill, previousId }
  }
}

/** A word of a version, which differs from those of all others by several letters. */
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

/** Every field except the identity contains the version, so that any mixture of two versions is found. */
function contentAt({ owner, repo, number }: Entity, version: number): Skill {
  const at = new Date(Date.UTC(2026, 0, 1) + version * 1_000).toISOString()
  return {
    id: skillId(owner, repo),
    owner,
    repo,
    name: `Tool ${version}`,
    description: `State ${version} with the word ${wordOf(version)}, made for tests.`,
    topics: ['tests', `version-${version}`],
    license: `License-${version}`,
    language: `Language ${version}`,
    homepage: `https://tools.example/versions/${version}`,
    url: `https://code.example/versions/${version}`,
    stars: version,
    forks: 2 * version,
    version: `1.0.${version}`,
    archived: version % 2 === 0,
    // Constant, so that skills keep their places in this order.
    createdAt: new Date(Date.UTC(2020, 0, 1) + number * 1_000).toISOString(),
    updatedAt: at,
    publishedAt: at,
    indexedAt: null,
    skill: null,
    path: null,
    commit: null,
    digest: null,
  }
}
