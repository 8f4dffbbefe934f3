import { BSONRegExp, type Document, type Filter } from 'mongodb'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { type FieldNames, lifecycleFields } from '../../../../records/field-names.js'
import type { RecordType } from '../../../../records/records.js'
import { metadataField } from './document.js'

/** The fields for the identity and the state of a record, on which a write of its document depends. */
const decidingFields: { [T in RecordType]: readonly (keyof FieldNames[T])[] } = {
  skills: ['owner', 'repo', 'fullName', 'identity', 'url', 'name', ...lifecycleFields],
  prompts: ['id', ...lifecycleFields],
  organizations: ['login', 'name', ...lifecycleFields],
}

/**
 * A filter that finds this document only while the values on which its write depends are as they were read: its catalog
 * metadata, its changed-field, and, by any of their names, the fields for its identity and state. It does not find a
 * document that another application has hidden, renamed or replaced since.
 *
 * It compares single fields and not the whole document, so that it can be used in an upsert, which reports the rejected
 * writes of a batch, and so that its size does not grow with the document.
 */
export function unchangedSince(document: Document, type: RecordType, settings: DocumentSettings): Filter<Document> {
  const names = namesOf(type, settings)
  return {
    _id: document['_id'],
    ...hashAsRead(document),
    // Set without another hash.
    ...hasTextChanged(Object(document[metadataField]).textChanged),
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
  const names = ['_id', metadataField, ...namesOf(type, settings)]
  return Object.fromEntries(names.filter((name) => name in document).map((name) => [name, document[name]]))
}

/** A filter for documents that are marked, or not, as having another text, see `CatalogMetadata`. */
export const hasTextChanged = (marked: unknown): Filter<Document> => ({
  [`${metadataField}.textChanged`]: marked === true ? { $eq: true } : { $ne: true },
})

/** The hash in the metadata, or what another application has put in its place. */
function hashAsRead(document: Document): Filter<Document> {
  const hash = `${metadataField}.hash`
  const metadata: unknown = document[metadataField]
  const value: unknown = Object(metadata).hash
  if (Array.isArray(metadata) || Array.isArray(value)) {
    return { [Array.isArray(metadata) ? metadataField : hash]: { $type: 'array' } }
  }
  const isAbsent = value === undefined || value === null
  return { [hash]: typeof value === 'string' ? { $eq: value } : isAbsent ? null : { $not: { $type: 'string' } } }
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
