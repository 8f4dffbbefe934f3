import type { Document, Filter } from 'mongodb'
import type { DocumentSettings, FieldNames } from '../../document-settings.js'
import type { RecordType } from '../../records/records.js'
import { ownMember } from './mongo-document.js'

const lifecycleFields = ['state', 'hidden', 'removed', 'removedAt'] as const

/** The fields that say whose record a document is, and whether it is shown: what a write of it depends on. */
const decidingFields: { [T in RecordType]: readonly (keyof FieldNames[T])[] } = {
  skills: ['owner', 'repo', 'fullName', 'name', ...lifecycleFields],
  prompts: ['id', ...lifecycleFields],
  organizations: ['login', ...lifecycleFields],
}

/**
 * A filter that finds this document only while what a write of it depends on is as it was read: its catalog metadata,
 * its changed-field, and by any of their names the fields that decide whose record it is and whether it is shown. So it
 * misses a document that another application has hidden, renamed or replaced since.
 *
 * Fields are compared one by one and not as a whole document: only so can the filter be used in an upsert, which says
 * which of many writes were refused, and its size does not grow with the document's.
 */
export function unchangedSince(document: Document, type: RecordType, settings: DocumentSettings): Filter<Document> {
  const names = namesOf(type, settings)
  return {
    _id: document['_id'],
    [`${ownMember}.hash`]: { $eq: document[ownMember]?.hash ?? null },
    ...Object.fromEntries(
      names
        .map((name): [string, unknown] => [name, document[name] ?? null])
        .filter(([, value]) => isReadExactly(value))
        // Null also finds a document without the field, which means the same.
        .map(([name, value]) => [name, value === null ? null : { $eq: value }]),
    ),
  }
}

const known = new WeakMap<DocumentSettings, Map<RecordType, string[]>>()

/** Top-level fields only: a filter would take a name with a dot for a path, and one that begins with $ for an operator. */
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
 * Whether a value is sent back as it is stored. Not so: text that is no UTF-8, which was read with U+FFFD in it; names
 * of members that are integers, which JavaScript puts first; and times that a Date cannot hold.
 */
const isReadExactly = (value: unknown): boolean =>
  value === null ||
  (value instanceof Date ? !Number.isNaN(value.getTime()) : !/\u{fffd}|"\d+":/u.test(JSON.stringify(value)))
