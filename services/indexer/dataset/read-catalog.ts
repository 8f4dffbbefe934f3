import { topTopicsPerOrganization } from '../../../shared/ports/dataset-reader.js'
import {
  type FileRecords,
  type Organization,
  type PublicRecords,
  type RecordType,
  type StoredOrganization,
  type StoredPrompt,
  toPublicOrganization,
  toPublicPrompt,
} from '../../../shared/records/records.js'
import type { SkillRow } from '../../../shared/records/skill.js'
import { fileRecords } from '../exports/snapshot.js'
import { pagesOf } from '../indexing/compare-index.js'
import type { JobContext } from '../runner/job.js'

/** `time`: ISO-8601 in the records; `list`: of texts. */
type ColumnKind = 'text' | 'integer' | 'boolean' | 'time' | 'list'

export interface Column {
  kind: ColumnKind
  nullable: boolean
}

const required = (kind: ColumnKind): Column => ({ kind, nullable: false })
const optional = (kind: ColumnKind): Column => ({ kind, nullable: true })

/** The columns of each table, in order: those of the exports, under their names. */
const columns: { [T in RecordType]: Record<keyof FileRecords[T], Column> } = {
  skills: {
    id: required('text'),
    owner: required('text'),
    repo: required('text'),
    name: required('text'),
    description: optional('text'),
    topics: required('list'),
    license: optional('text'),
    language: optional('text'),
    homepage: optional('text'),
    url: optional('text'),
    stars: optional('integer'),
    forks: optional('integer'),
    version: optional('text'),
    archived: required('boolean'),
    createdAt: optional('time'),
    updatedAt: optional('time'),
    publishedAt: optional('time'),
    indexedAt: optional('time'),
    skill: optional('text'),
    path: optional('text'),
    commit: optional('text'),
    digest: optional('text'),
    organization: required('text'),
  },
  prompts: {
    id: required('text'),
    title: required('text'),
    description: optional('text'),
    content: required('text'),
    type: required('text'),
    topics: required('list'),
    author: optional('text'),
    url: optional('text'),
    license: optional('text'),
    createdAt: optional('time'),
    updatedAt: optional('time'),
  },
  organizations: {
    login: required('text'),
    name: optional('text'),
    description: optional('text'),
    url: optional('text'),
    avatarUrl: optional('text'),
    skills: required('integer'),
    stars: optional('integer'),
    topTopics: required('list'),
    createdAt: optional('time'),
    updatedAt: optional('time'),
  },
}

/** A record of any type as its columns. */
export type Row = Record<string, unknown>

/** The columns of a type with their names. */
export const columnsOf = (type: RecordType): [name: string, column: Column][] => Object.entries(columns[type])

/** The fields of an organization that are computed from its skills. */
type OwnerSum = Pick<Organization, 'login' | 'skills' | 'stars' | 'topTopics'>

interface OpenSum {
  login: string
  skills: number
  /** Null: of none of them it is known. */
  stars: number | null
  topics: Map<string, number>
}

/** Sums over the skills of each owner, from skills in the order of their ids: those of one owner follow each other. */
class OwnerSums {
  #open: OpenSum | null = null

  /** @returns the sums of the owners whose skills are complete */
  add(skills: SkillRow[]): OwnerSum[] {
    const complete: OwnerSum[] = []
    for (const { organization: login, stars, topics } of skills) {
      if (this.#open?.login !== login) {
        complete.push(...this.finish())
        this.#open = { login, skills: 0, stars: null, topics: new Map() }
      }
      this.#open.skills += 1
      this.#open.stars = stars === null ? this.#open.stars : (this.#open.stars ?? 0) + stars
      for (const topic of topics) {
        this.#open.topics.set(topic, (this.#open.topics.get(topic) ?? 0) + 1)
      }
    }
    return complete
  }

  /** @returns the sums of the last owner; none without skills */
  finish(): OwnerSum[] {
    const open = this.#open
    this.#open = null
    return open === null
      ? []
      : [{ login: open.login, skills: open.skills, stars: open.stars, topTopics: topOf(open.topics) }]
  }
}

/** The most frequent topics, ties by name. */
const topOf = (topics: Map<string, number>): string[] =>
  [...topics]
    .sort(([a, m], [b, n]) => n - m || Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .slice(0, topTopicsPerOrganization)
    .map(([topic]) => topic)

/** Skills and organizations per read. */
const pageSize = 500

/** Prompts per read: each may have hundreds of kilobytes. */
const promptsPerRead = 50

/** Records of one type, as in files. */
export type RecordPage = { [T in RecordType]: { type: T; rows: FileRecords[T][] } }[RecordType]

/**
 * Reads every published record, page by page: skills in the order of their ids, each organization after the last of its
 * skills, then prompts in the order of their ids. Each page shows the catalog at the time of its read. Invalid records are
 * reported and left out.
 */
export async function* readCatalog(context: JobContext): AsyncGenerator<RecordPage> {
  const { catalog, signal } = context
  const sums = new OwnerSums()
  for await (const page of pagesOf((afterId) => catalog.scanSkills(afterId, pageSize), signal)) {
    const rows = fileRecords(context, 'skills', page, 'the skills of the dataset')
    yield { type: 'skills', rows }
    yield { type: 'organizations', rows: await organizationsOf(context, sums.add(rows)) }
  }
  yield { type: 'organizations', rows: await organizationsOf(context, sums.finish()) }
  for (let afterId: string | null = null; ; ) {
    signal.throwIfAborted()
    const ids: string[] = await catalog.listIds('prompts', afterId, promptsPerRead)
    if (ids.length === 0) {
      break
    }
    afterId = ids.at(-1) ?? null
    const stored = await publishedOf(context, 'prompts', ids)
    const prompts = ids.flatMap((id) => stored.get(id) ?? []).map((prompt) => toPublicPrompt(prompt as StoredPrompt))
    yield { type: 'prompts', rows: fileRecords(context, 'prompts', prompts, 'the prompts of the dataset') }
  }
}

async function organizationsOf(context: JobContext, sums: OwnerSum[]): Promise<PublicRecords['organizations'][]> {
  if (sums.length === 0) {
    return []
  }
  const logins = sums.map(({ login }) => login)
  const stored = await publishedOf(context, 'organizations', logins)
  const organizations = sums.map((sum) =>
    toPublicOrganization(sum, (stored.get(sum.login) ?? null) as StoredOrganization | null),
  )
  return fileRecords(context, 'organizations', organizations, 'the organizations of the dataset')
}

async function publishedOf({ catalog }: JobContext, type: RecordType, ids: string[]): Promise<Map<string, unknown>> {
  const found = await catalog.findStored(type, ids, 'fields')
  return new Map(
    found.filter(({ stored }) => Object(stored).state === 'published').map(({ id, stored }) => [id, stored]),
  )
}
