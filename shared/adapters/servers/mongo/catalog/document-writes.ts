import {
  type AnyBulkWriteOperation,
  BSONRegExp,
  type Collection,
  type Document,
  type Filter,
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
} from 'mongodb'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import type { FieldNames } from '../../../../records/field-names.js'
import { lifecycleFields } from '../../../../records/lifecycle-names.js'
import type { RecordType } from '../../../../records/records.js'
import { storedSchemas } from '../../../../records/schemas.js'
import { inText } from '../../../../text/clean-text.js'
import { duplicateKey } from '../connection.js'
import { otherSpellings } from './document.js'

/** The fields for the identity of a record, and for the repository that may withdraw it. */
const identityFields: { [T in RecordType]: readonly (keyof FieldNames[T])[] } = {
  skills: ['owner', 'repo', 'fullName', 'identity', 'url', 'name'],
  prompts: ['id', 'repository'],
  organizations: ['login', 'name', 'repository'],
}

/** The names of members of documents. */
interface Names {
  /** On which a write depends: those for identity and state, and the changed-field. */
  deciding: string[]
  lifecycle: string[]
  stateName: string
  removedAtName: string
}

/** The names of the members for the identity and the lifecycle of documents. */
export function namesOf(type: RecordType, settings: DocumentSettings): Names {
  const fields: Record<string, readonly string[]> = settings.fields[type]
  const namesFor = (of: readonly PropertyKey[]) => of.flatMap((field) => fields[String(field)] ?? [])
  const lifecycle = namesFor(lifecycleFields)
  const deciding = new Set([settings.changedField, ...namesFor(identityFields[type]), ...lifecycle])
  return {
    // Top-level members only: a filter reads a name with a dot as a path, and one that begins with $ as an operator.
    deciding: [...deciding].filter((name) => !/^\$|\./.test(name)),
    lifecycle,
    stateName: fields['state']?.[0] ?? 'state',
    removedAtName: fields['removedAt']?.[0] ?? 'removedAt',
  }
}

/**
 * The members of a document that may withdraw it and can be unset: an object has other members too, and an update reads a
 * name with a dot as a path.
 */
export function withdrawingMembers(document: Document, type: RecordType, settings: DocumentSettings): string[] {
  const names = [...namesOf(type, settings).lifecycle, ...otherSpellings(document, settings.fields[type])]
  return names.filter((name) => document[name] !== undefined && !isObject(document[name]) && !name.includes('.'))
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !Array.isArray(value)

/** A record without what its fields are read from under other names, which would count instead of them. */
export function withoutOtherNames(record: object, type: RecordType, { fields }: DocumentSettings): object {
  const names: ReadonlySet<string> = new Set(Object.values<readonly string[]>(fields[type]).flat())
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => name in storedSchemas[type].shape || !names.has(name)),
  )
}

/**
 * A filter that finds this document only while the values on which its write depends are as they were read: its
 * changed-field, and, by any of their names, the fields for its identity and state. It does not find a document that another
 * application has hidden, renamed or replaced since.
 *
 * It compares single fields and not the whole document, so that its size does not grow with the document.
 */
export function unchangedSince(document: Document, type: RecordType, settings: DocumentSettings): Filter<Document> {
  const members = namesOf(type, settings)
    // A member that cannot be read is undefined.
    .deciding.filter((name) => document[name] !== undefined || !(name in document))
    .map((name): [string, unknown] => [name, document[name] ?? null])
    .filter(([, value]) => isReadExactly(value))
    // Null also matches a document without the field, which is equivalent.
    .map(([name, value]) => [name, value === null ? null : { $eq: value }])
  return { _id: document['_id'], ...Object.fromEntries(members) }
}

/** Longer values are not sent back, and those with more objects and lists: a command has room for less than a document. */
const max = { characters: 10_000, brackets: 50 }

/**
 * Whether a value that was read equals the stored one when sent back. Exceptions: text that is not UTF-8, which is read
 * with U+FFFD; members with integers as names, which JavaScript puts first; times out of the range of a Date; and regular
 * expressions, which not every server compares.
 */
function isReadExactly(value: unknown): boolean {
  if (value === null || value instanceof Date) {
    return value === null || !Number.isNaN(value.getTime())
  }
  const text = value instanceof BSONRegExp ? '\u{fffd}' : JSON.stringify(value)
  const isSmall = text.length <= max.characters && text.split(/[[{]/, max.brackets + 2).length <= max.brackets + 1
  return isSmall && !/\u{fffd}|"\d+":/u.test(text)
}

/**
 * MongoDB's codes of rejected writes whose cause is the server and not the document: no space is left, a time limit, a
 * write of another client at the same time, an operation that was ended, a server that changes its role.
 *
 * @see https://www.mongodb.com/docs/manual/reference/error-codes/
 */
const serverFaults = new Set([
  14_031, 50, 262, 112, 24, 43, 91, 133, 175, 189, 237, 10_107, 11_600, 11_601, 11_602, 13_388, 13_435, 13_436,
])

/**
 * MongoDB's codes of whole commands that it rejects for the content of one of their writes: a value or a name that it
 * does not accept, too many levels, more than 16 MB.
 */
const contentFaults = new Set([2, 9, 14, 15, 22, 28, 52, 55, 56, 57, 121, 10_334, 17_419, 17_420])

/** The outcome of writes. */
export interface WriteOutcome {
  /** How many documents were inserted, or found. */
  written: number
  /** The first write that the database does not accept for what it holds, or that the driver cannot write; null: none. */
  refused: { place: number; reason: string } | null
}

/**
 * Does all of these writes that the database accepts, in no order. A write that cannot be done for what it holds is
 * reported, and stops no other one. An insert of an `_id` that is taken is not written.
 */
export async function writeUnordered(
  collection: Collection,
  writes: AnyBulkWriteOperation<Document>[],
): Promise<WriteOutcome> {
  if (writes.length === 0) {
    return { written: 0, refused: null }
  }
  try {
    const { insertedCount, matchedCount } = await collection.bulkWrite(writes, { ordered: false })
    return { written: insertedCount + matchedCount, refused: null }
  } catch (error) {
    const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
    if (failures.some(({ code }) => serverFaults.has(code)) || (failures.length === 0 && !isOfContent(error))) {
      throw error
    }
    if (!(error instanceof MongoBulkWriteError) || failures.length === 0) {
      return writeApart(collection, writes, error)
    }
    const refused = failures.find(({ code }) => code !== duplicateKey)
    return {
      written: error.insertedCount + error.matchedCount,
      refused: refused === undefined ? null : { place: refused.index, reason: refused.errmsg ?? 'it gives no reason' },
    }
  }
}

/** Whether all writes failed for the content of one of them: an error of the driver's writer, or such a code. */
const isOfContent = (error: unknown): boolean =>
  !(error instanceof MongoError) || error instanceof MongoInvalidArgumentError || contentFaults.has(Number(error.code))

/** Does the writes of each half apart, down to the one that failed them all. Writing the others again is harmless. */
async function writeApart(
  collection: Collection,
  writes: AnyBulkWriteOperation<Document>[],
  error: unknown,
): Promise<WriteOutcome> {
  if (writes.length === 1) {
    return { written: 0, refused: { place: 0, reason: error instanceof Error ? error.message : inText(error) } }
  }
  const middle = Math.ceil(writes.length / 2)
  const first = await writeUnordered(collection, writes.slice(0, middle))
  const second = await writeUnordered(collection, writes.slice(middle))
  return {
    written: first.written + second.written,
    refused: first.refused ?? (second.refused && { ...second.refused, place: second.refused.place + middle }),
  }
}
