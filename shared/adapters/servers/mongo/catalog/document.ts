import type { Document } from 'mongodb'
import { valuesByExactName } from '../../../../fields/field-values.js'
import { mapFields } from '../../../../fields/map-fields.js'
import { addressOf } from '../../../../fields/web-address.js'
import { type DocumentSettings, metadataField } from '../../../../records/document-settings.js'
import { contentFields, type FieldNames } from '../../../../records/field-names.js'
import type { RecordType } from '../../../../records/records.js'
import { skillId } from '../../../../records/skill.js'
import { inText } from '../../../../text/in-text.js'

export { metadataField }

/**
 * Reads a document as a stored record: the fields under their own names, in their own types, and its other members. An
 * invalid value of an optional field is null: a mistake of a crawler hides no record. An invalid value of a required
 * field is kept in a form that the schema rejects, with a reason.
 *
 * E-mail addresses are removed from free texts at each reading: a stored copy could publish text that its writer has
 * changed or hidden since. For 10,000 prompts of 8 KB that takes about 1 % of the time of their export.
 *
 * @param document as read; any application may have written it
 */
export function documentToStored(type: RecordType, document: Document, reading: Reading): Record<string, unknown> {
  const { _id: key, [metadataField]: own, ...members } = document
  const { id, fields } = mapFields(type, (rows) => valuesByExactName(document, rows), reading.fields, key)
  const stored = { ...withoutWithdrawing(members, reading.fields[type]), ...fields }
  if (type !== 'skills') {
    return stored
  }
  const { owner, repo } = fields
  const isNamed = id !== null && typeof owner === 'string' && typeof repo === 'string'
  const url = fields['url'] ?? (isNamed ? addressOf({ owner, repo }, reading.urlTemplate) : null)
  return { ...stored, url, id: id ?? rejectedId(fields, key), indexedAt: isoTime(own?.changedAt) }
}

/** What of the settings decides how the fields of a document are read. */
export type Reading = Pick<DocumentSettings, 'fields' | 'urlTemplate'>

/**
 * Reads a document as a published record; null: it is not published. A document that was found as published may no
 * longer be: its writer may have hidden it since it was ingested, or while it was read.
 */
export function documentToPublished(
  type: RecordType,
  document: Document,
  reading: Reading,
): Record<string, unknown> | null {
  const stored = documentToStored(type, document, reading)
  return stored['state'] === 'published' ? stored : null
}

const withdrawingNamesByTable = new WeakMap<object, ReadonlySet<string>>()

/** The members of a document without those that withdraw it: a stored record has its state instead. */
function withoutWithdrawing(members: Document, names: FieldNames[RecordType]): Document {
  let withdrawing = withdrawingNamesByTable.get(names)
  if (withdrawing === undefined) {
    const { hidden, shown, removed, status, visibility, hiddenAt, moderationFlags } = names
    withdrawing = new Set([hidden, shown, removed, status, visibility, hiddenAt, moderationFlags].flat())
    withdrawingNamesByTable.set(names, withdrawing)
  }
  const known = withdrawing
  // Most documents have none of them, and are not copied.
  return Object.keys(members).some((name) => known.has(name))
    ? Object.fromEntries(Object.entries(members).filter(([name]) => !known.has(name)))
    : members
}

/** A projection to the fields of a record and the catalog metadata: a document may have much else. */
export function fieldsOf(type: RecordType, names: FieldNames): Document {
  const fields = Object.entries<readonly string[]>(names[type]).filter(([field]) => !contentFields.has(field))
  return Object.fromEntries([...fields.flatMap(([, list]) => list), metadataField].map((name) => [name, 1]))
}

/** The id by which a document with an invalid owner or repository is reported. */
const rejectedId = ({ owner, repo, skill }: Record<string, unknown>, key: unknown): string =>
  typeof owner === 'string' && typeof repo === 'string'
    ? skillId(owner, repo, typeof skill === 'string' ? skill : null)
    : inText(key)

const isoTime = (value: unknown): string | null =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : null
