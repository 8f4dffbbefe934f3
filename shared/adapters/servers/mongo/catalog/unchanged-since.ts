import { BSONRegExp, type Document, type Filter } from 'mongodb'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { type FieldNames, lifecycleFields } from '../../../../records/field-names.js'
import type { RecordType } from '../../../../records/records.js'

/** The fields for the identity of a record. */
const identityFields: { [T in RecordType]: readonly (keyof FieldNames[T])[] } = {
  skills: ['owner', 'repo', 'fullName', 'identity', 'url', 'name'],
  prompts: ['id'],
  organizations: ['login', 'name'],
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
