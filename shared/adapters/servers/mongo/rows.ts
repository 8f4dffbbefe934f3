import { BSON, type Collection, type Db } from 'mongodb'
import type { RecordType } from '../../../records/records.js'
import type { Skill } from '../../../records/skill.js'

/**
 * What the catalog has of one record, under the record's id: what is answered and searched, derived from the document of a
 * crawler or an import, which stays as it is. The rows of skills are the change log as well.
 */
export interface Row {
  /** The record's id. */
  _id: string
  /** The `_id` of the document of which it is made; absent: the document is gone. */
  source?: unknown
  /** `rejected`: the document is not valid for publication; `gone`: no document has this id any more. */
  state: 'published' | 'hidden' | 'removed' | 'rejected' | 'gone'
  /** Equal for rows that are made of equal content. */
  made: string
  /** The number of the batch that wrote the row last: an earlier batch does not replace it. */
  version: number
  /** The public record as JSON, of published records. */
  record?: string | undefined
  /** When the public content or the state changed last, ISO-8601 by the database's clock; of published skills also in the record. */
  indexedAt?: string | undefined
  /** The keys by which a published skill is found and sorted. */
  keys?: SkillKeys | undefined
  /** The number by which trending skills are sorted, see `trendOf`; absent: nothing was gained. */
  trend?: number | undefined
  /** When it was removed, of removed records. */
  removedAt?: string | undefined
  /** Former ids of a skill in one of these three states, lower case. Those of a hidden one lead nowhere. */
  formerIds?: string[] | undefined
  /** Earlier ids of the document, from before its owner or repository changed. */
  previousIds?: string[] | undefined
  /** The digest of the SKILL.md as its owner wrote it, in any state; absent: unknown. */
  skillMd?: string | undefined
  /** The digest of the text that is kept of it. */
  text?: string | undefined
  /** This and the next two are of skills that were ever published: see `LoggedChange`. */
  contentHash?: string | null | undefined
  sequence?: number | undefined
  changedAt?: string | undefined
  /** The same time, of those that are no longer published. */
  unlistedAt?: string | undefined
}

/** The members of a row that a write replaces or drops: all but the trend, which is written by itself. */
export const writtenMembers = [
  'source',
  'state',
  'made',
  'version',
  'record',
  'indexedAt',
  'keys',
  'removedAt',
  'formerIds',
  'previousIds',
  'skillMd',
  'text',
  'contentHash',
  'sequence',
  'changedAt',
  'unlistedAt',
] as const satisfies (keyof Row)[]

/**
 * The keys of a skill: its repository, and each field that filters or orders compare, in lower case or folded where they
 * ignore case; null where the skill has no value.
 */
export interface SkillKeys {
  repo: string
  stars: number | null
  updated: string | null
  [name: string]: string | number | boolean | string[] | null
}

/** The key of a field that filters or orders compare. */
export const keyName = (field: keyof Skill): string => field.replace(/^(created|updated)At$/, '$1')

/** The member of a row with the key of a field. */
export const keyMember = (field: keyof Skill | 'repo'): string => `keys.${keyName(field)}`

/** The id of the repository of a skill, see `repositoryId`, in an aggregation. */
export const repositoryOfRow = { $arrayElemAt: [{ $split: ['$_id', '@'] }, 0] }

/** The rows of records. The indexer and its commands alone write them; query services read records from them alone. */
export const rowsOf = (db: Db, type: RecordType): Collection<Row> => db.collection<Row>(`catalog_${type}`)

/** The documents of crawlers and imports, in the collection of their type. */
export const documentsOf = (db: Db, type: RecordType) => db.collection(type)

/** The documents of a cursor in batches. */
export async function* inBatches<T>(cursor: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const each of cursor) {
    batch.push(each)
    if (batch.length === size) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) {
    yield batch
  }
}

/** The lengths for which a row, and the index of its ids, have room. */
const max = { sourceCharacters: 10_000, idCharacters: 1_000 }

/** Why no row can be made of a document with this `_id`; null: one can. A value with `_bsontype` cannot be sent back. */
export function faultOfSource(source: unknown): string | null {
  try {
    return keyOf(source).length > max.sourceCharacters
      ? '_id: it is longer than 10,000 characters, for which the catalog has no room'
      : null
  } catch {
    return '_id: a value with a member _bsontype cannot be read by it again'
  }
}

/** Why no row can have this id; null: one can. */
export const faultOfId = (id: string): string | null =>
  id.length > max.idCharacters ? 'id: it is longer than 1,000 characters, for which the catalog has no room' : null

/** An `_id` as a key of a map: equal for values that MongoDB compares as equal. */
export const keyOf = (id: unknown): string =>
  typeof id === 'string' ? `s${id}` : BSON.EJSON.stringify(id, { relaxed: true })
