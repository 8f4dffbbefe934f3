import { hash } from 'node:crypto'
import { hashText, Random, weighted } from '../../services/indexer/seed/random.js'
import { type Skill, type StoredSkill, skillId } from '../../shared/records/skill.js'
import { pick } from './pick.js'

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
  kind: 'add' | 'edit' | 'move' | 'replace' | 'hide' | 'moderate' | 'show' | 'delete' | 'vanish' | 'rename' | 'recreate'
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
  /** Null: the repository is the skill. */
  skill: string | null
  /** In its repository. */
  path: string
  state: 'published' | 'hidden' | 'removed' | 'vanished'
  formerIds: string[]
}

type Kind = PlannedWrite['kind']

/** Weights of the kinds of writes for a skill in each state. */
const choices: Record<Entity['state'], [Kind, number][]> = {
  published: [
    ['edit', 60],
    ['move', 10],
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
  move: null,
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
const maxSkills = 400
/** Skills of the repository that is renamed in every round. */
const ofLargeRepository: Record<Writer, number> = { store: 300, crawler: 40 }
const owners = ['harrow', 'Millfield', 'quay-and-sons', 'Teasel']
const nouns = ['ledger', 'kiln', 'harbor', 'loom', 'orchard', 'signal', 'quarry', 'lantern']
/** Names that repeat across repositories. */
const skillNames = ['pdf', 'notes', 'review-code', 'deploy', 'lint', 'x']
const folders = ['skills', '.claude/skills', 'plugins/tools/skills']

/** Plans the writes of each round from a seed. */
export class WritePlan {
  readonly #random: Random
  readonly #writers: Writer[]
  readonly #entities: Entity[] = []
  /** All ids so far: of two skills with one id the last writer would win, which cannot be planned. */
  readonly #ids = new Set<string>()
  #version = 0

  constructor(seed: number, writers: Writer[]) {
    this.#random = new Random(seed, 'writes')
    this.#writers = writers
  }

  begin(): PlannedWrite[] {
    return this.#writers.flatMap((by) => [
      ...Array.from({ length: initialSkills }, () => this.#add(0, by)),
      ...Array.from({ length: ofLargeRepository[by] }, (_, number) =>
        this.#create(0, by, { owner: ownerOf(owners[0], by), repo: 'warehouse', skill: `shelf-${number}` }),
      ),
    ])
  }

  /** Writes of one time and writer belong together: the renames of the skills of one repository. */
  round(lengthMs: number): PlannedWrite[] {
    const writes: PlannedWrite[] = []
    const renameAtMs = new Map(this.#writers.map((by) => [by, this.#random.between(0, lengthMs / 2)]))
    for (let atMs = 0; atMs < lengthMs; atMs += this.#random.between(20, 220)) {
      const by = pick(this.#random, this.#writers)
      const own = this.#entities.filter((entity) => entity.by === by)
      if (atMs >= (renameAtMs.get(by) ?? Number.POSITIVE_INFINITY)) {
        renameAtMs.delete(by)
        writes.push(...this.#renameRepository(atMs, own))
      } else if (own.length < maxSkills + ofLargeRepository[by] && this.#random.chance(0.06)) {
        writes.push(this.#add(atMs, by))
      } else {
        writes.push(this.#change(atMs, pick(this.#random, own)))
      }
    }
    return writes
  }

  #add(atMs: number, by: Writer): PlannedWrite {
    const own = this.#entities.filter((entity) => entity.by === by)
    const isNew = own.length === 0 || this.#random.chance(0.5)
    const { owner, repo } = isNew
      ? {
          owner: ownerOf(pick(this.#random, owners), by),
          repo: `${pick(this.#random, nouns)}-${this.#entities.length + 1}`,
        }
      : pick(this.#random, own)
    const name = this.#random.chance(isNew ? 0.5 : 1) ? pick(this.#random, skillNames) : null
    const isTaken = this.#ids.has(skillId(owner, repo, name))
    return this.#create(atMs, by, { owner, repo, skill: isTaken ? `${name}-${this.#entities.length + 1}` : name })
  }

  #create(atMs: number, by: Writer, place: Pick<Entity, 'owner' | 'repo' | 'skill'>): PlannedWrite {
    const number = this.#entities.length + 1
    const path = place.skill === null ? '' : `${pick(this.#random, folders)}/${place.skill}`
    const entity: Entity = { by, document: `doc-${number}`, number, ...place, path, state: 'published', formerIds: [] }
    this.#entities.push(entity)
    return this.#write(atMs, entity, 'add', null)
  }

  #change(atMs: number, entity: Entity): PlannedWrite {
    const kind = this.#choose(entity)
    if (kind === 'rename') {
      const now = (name: string) => `${name.replace(/-now-.*/, '')}-now-${this.#version}`
      const to = entity.skill === null ? { repo: now(entity.repo) } : { skill: now(entity.skill) }
      return this.#rename(atMs, entity, to)
    }
    if (kind === 'move') {
      entity.path = `${pick(this.#random, folders)}/moved-${this.#version}/${entity.skill}`
    }
    if (kind === 'recreate' && entity.state === 'vanished') {
      // A new document, without the former names of the deleted one.
      entity.document = `${entity.document.replace(/\+.*/, '')}+${this.#version}`
      entity.formerIds = []
    }
    entity.state = stateAfter[kind] ?? entity.state
    return this.#write(atMs, entity, kind, null)
  }

  /** Renames the large repository, with the skills that it has. */
  #renameRepository(atMs: number, own: Entity[]): PlannedWrite[] {
    const named = own.filter(({ skill, state }) => skill !== null && (state === 'published' || state === 'hidden'))
    const sizes = new Map<string, number>()
    for (const { repo } of named) {
      sizes.set(repo, (sizes.get(repo) ?? 0) + 1)
    }
    const [largest] = [...sizes].sort(([, a], [, b]) => b - a)
    const repo = `warehouse-now-${this.#version}`
    return named.filter((entity) => entity.repo === largest?.[0]).map((entity) => this.#rename(atMs, entity, { repo }))
  }

  #rename(atMs: number, entity: Entity, to: Partial<Pick<Entity, 'repo' | 'skill'>>): PlannedWrite {
    const before = skillId(entity.owner, entity.repo, entity.skill)
    entity.formerIds = [...entity.formerIds, before]
    Object.assign(entity, to)
    return this.#write(atMs, entity, 'rename', before)
  }

  #choose(entity: Entity): Kind {
    const possible = choices[entity.state].filter(([kind]) => {
      if (kind === 'vanish') {
        return entity.by === 'crawler'
      }
      if (kind === 'moderate') {
        return entity.by === 'store' && this.#writers.includes('crawler')
      }
      if (kind === 'move') {
        return entity.skill !== null
      }
      // A replaced document loses its former names, and readers cannot know when.
      return kind !== 'replace' || (entity.by === 'crawler' && entity.formerIds.length === 0)
    })
    return weighted(possible)(this.#random)
  }

  #write(atMs: number, entity: Entity, kind: Kind, previousId: string | null): PlannedWrite {
    const { by, document, state, formerIds } = entity
    this.#version += 1
    this.#ids.add(skillId(entity.owner, entity.repo, entity.skill))
    const skill: StoredSkill = {
      ...contentAt(entity, this.#version),
      state: state === 'vanished' ? 'removed' : state,
      removedAt: null,
      formerIds,
    }
    return { atMs, by, kind, document, skill, previousId }
  }
}

/** Each skill has one writer, by its owner. */
const ownerOf = (owner = '', by: Writer): string => (by === 'store' ? owner : `${owner}-crawled`)

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
function contentAt({ owner, repo, skill, path, number }: Entity, version: number): Skill {
  const at = new Date(Date.UTC(2026, 0, 1) + version * 1_000).toISOString()
  return {
    id: skillId(owner, repo, skill),
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
    skill,
    path,
    commit: hash('sha1', `commit ${version}`),
    digest: `sha256:${hash('sha256', `digest ${version}`)}`,
  }
}
