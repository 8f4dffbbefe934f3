import { BSONRegExp, type Collection, type Document, type Filter } from 'mongodb'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { type FieldNames, lifecycleFields } from '../../../../records/field-names.js'
import { type RecordType, recordId, type StoredRecords, storedSchemas } from '../../../../records/records.js'
import { operatorError, unavailable } from '../../../../runtime/errors.js'
import type { RejectedWrites } from '../bulk-write.js'
import { keyOf, type Row } from '../rows.js'
import { documentToStored } from './document.js'
import { readDocuments } from './read-documents.js'

/** The maximum number of attempts to write a record that other programs keep changing. */
const maxAttempts = 5

/** The documents of one type, and their rows. */
export interface RecordCollection<T extends RecordType> {
  collection: Collection
  rows: Collection<Row>
  type: T
  settings: DocumentSettings
  /** The database's time. */
  now: Date
  /** Reads documents again, so that their rows are as they are now. @param sources their `_id`s */
  refresh(sources: unknown[]): Promise<unknown>
}

/** The documents of the records with these ids, each as it is now. */
export async function* documentsById(
  { collection, rows }: Pick<RecordCollection<RecordType>, 'collection' | 'rows'>,
  ids: string[],
): AsyncGenerator<{ id: string; document: Document; row: Row }> {
  const filter = { _id: { $in: ids }, source: { $exists: true } }
  const found = await rows.find(filter, { projection: { source: 1, indexedAt: 1 } }).toArray()
  const bySource = new Map(found.map((row) => [keyOf(row.source), row]))
  for await (const document of readDocuments(collection, {
    _id: { $in: found.map(({ source }) => source) },
  } as Document)) {
    const row = bySource.get(keyOf(document['_id']))
    if (row !== undefined) {
      yield { id: row._id, document, row }
    }
  }
}

/** The stored records of these ids; see the port. */
export async function storedOf(
  of: Pick<RecordCollection<RecordType>, 'collection' | 'rows' | 'type' | 'settings'>,
  ids: string[],
  members: 'all' | 'fields',
): Promise<{ id: string; stored: unknown }[]> {
  const found: { id: string; stored: unknown }[] = []
  const fields = storedSchemas[of.type].shape
  for await (const { id, document, row } of documentsById(of, ids)) {
    const stored = documentToStored(of.type, document, of.settings)
    const kept = Object.entries(stored).filter(([name]) => members === 'all' || name in fields)
    const indexedAt = of.type === 'skills' ? { indexedAt: row.indexedAt ?? null } : {}
    found.push({ id, stored: { ...Object.fromEntries(kept), ...indexedAt } })
  }
  return found
}

/**
 * Repeats a write until nothing of it is rejected. Another application has changed the document of a rejected write, or
 * added one with the same id; these documents are read again before the next attempt.
 */
export async function retryRefused<T extends RecordType>(
  attempt: () => Promise<Read[]>,
  { refresh }: RecordCollection<T>,
): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    const refused = await attempt()
    if (refused.length === 0) {
      return
    }
    if (attempts === maxAttempts) {
      const ids = refused.map(({ id }) => id)
      throw unavailable(
        'records_contended',
        `Other programs keep changing ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''} ` +
          'while they are written. What was written before stays; run it again.',
        5,
      )
    }
    await refresh(refused.map(({ id, before }) => before?.['_id'] ?? id))
  }
}

/** A document that was found for a record. */
export interface Read {
  id: string
  /** What the write depends on of the document as it was read; null: the record has none. */
  before: Document | null
}

/** Whether a document is still the record of this id: it may have been renamed since. */
export const isRecord = (type: RecordType, id: string, stored: Record<string, unknown>): boolean =>
  recordId(type, stored as unknown as StoredRecords[RecordType]) === id

export const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !Array.isArray(value)

/** @throws AppError `document_refused` where the database did not accept a document */
export function refuse(
  type: RecordType,
  { refused: [first] }: RejectedWrites,
  idAt: (place: number) => string | undefined,
) {
  if (first !== undefined) {
    throw operatorError(
      'document_refused',
      `MongoDB does not accept the document of ${idAt(first.place)}: ${first.reason}. ` +
        `Change the record, or the validator of the collection ${type}.`,
    )
  }
}

/** The fields for the identity and the state of a record, on which a write of its document depends. */
const decidingFields: { [T in RecordType]: readonly (keyof FieldNames[T])[] } = {
  skills: ['owner', 'repo', 'fullName', 'identity', 'url', 'name', ...lifecycleFields],
  prompts: ['id', ...lifecycleFields],
  organizations: ['login', 'name', ...lifecycleFields],
}

/**
 * A filter that finds this document only while the values on which its write depends are as they were read: its
 * changed-field, and, by any of their names, the fields for its identity and state. It does not find a document that another
 * application has hidden, renamed or replaced since.
 *
 * It compares single fields and not the whole document, so that it can be used in an upsert, which reports the rejected
 * writes of a batch, and so that its size does not grow with the document.
 */
export function unchangedSince(document: Document, type: RecordType, settings: DocumentSettings): Filter<Document> {
  const names = namesOf(type, settings)
  return {
    _id: document['_id'],
    ...Object.fromEntries(
      names
        // A member that cannot be read is undefined.
        .filter((name) => document[name] !== undefined || !(name in document))
        .map((name): [string, unknown] => [name, document[name] ?? null])
        .filter(([, value]) => isReadExactly(value))
        // Null also matches a document without the field, which is equivalent.
        .map(([name, value]) => [name, value === null ? null : { $eq: value }]),
    ),
  }
}

/** The members of a document by which `unchangedSince` finds it. */
export function decidingMembers(document: Document, type: RecordType, settings: DocumentSettings): Document {
  const names = ['_id', ...namesOf(type, settings)]
  return Object.fromEntries(names.filter((name) => name in document).map((name) => [name, document[name]]))
}

const known = new WeakMap<DocumentSettings, Map<RecordType, string[]>>()

/** Top-level fields only: a filter reads a name with a dot as a path, and one that begins with $ as an operator. */
function namesOf(type: RecordType, settings: DocumentSettings): string[] {
  const byType = known.get(settings) ?? new Map<RecordType, string[]>()
  known.set(settings, byType)
  let names = byType.get(type)
  if (names === undefined) {
    const fields: Record<string, readonly string[]> = settings.fields[type]
    const deciding = decidingFields[type].flatMap((field) => fields[String(field)] ?? [])
    names = [...new Set([settings.changedField, ...deciding])].filter((name) => !/^\$|\./.test(name))
    byType.set(type, names)
  }
  return names
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
