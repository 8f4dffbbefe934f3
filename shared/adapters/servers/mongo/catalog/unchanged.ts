import type { Document, Filter } from 'mongodb'
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
    [`${metadataField}.hash`]: { $eq: document[metadataField]?.hash ?? null },
    ...Object.fromEntries(
      names
        .map((name): [string, unknown] => [name, document[name] ?? null])
        .filter(([, value]) => isReadExactly(value))
        // Null also matches a document without the field, which is equivalent.
        .map(([name, value]) => [name, value === null ? null : { $eq: value }]),
    ),
  }
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

/**
 * Whether a value that was read equals the stored one when sent back. Exceptions: text that is not UTF-8, which is read
 * with U+FFFD; members with integers as names, which JavaScript puts first; and times out of the range of a Date.
 */
const isReadExactly = (value: unknown): boolean =>
  value === null ||
  (value instanceof Date ? !Number.isNaN(value.getTime()) : !/\u{fffd}|"\d+":/u.test(JSON.stringify(value)))
