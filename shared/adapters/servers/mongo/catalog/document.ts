import { BSON, type Collection, type Document, type Filter, type FindOptions } from 'mongodb'
import { type FieldValues, findValues, type Places, placesOf } from '../../../../fields/field-values.js'
import { mapFields, type ReadFields } from '../../../../fields/map-fields.js'
import { isSkillMd, withdrawByText } from '../../../../fields/skill-content.js'
import { addressOf } from '../../../../fields/web-address.js'
import { type DocumentSettings, metadataField } from '../../../../records/document-settings.js'
import {
  comparableName,
  documentNames,
  type FieldNames,
  importNames,
  onceByTable,
} from '../../../../records/field-names.js'
import { lifecycleFields } from '../../../../records/lifecycle-names.js'
import { type RecordType, recordTypes } from '../../../../records/records.js'
import { skillId } from '../../../../records/skill.js'
import { inText } from '../../../../text/clean-text.js'

/**
 * Reads a document as a stored record: its fields, see `readFields`, and the other members of the document.
 *
 * @param document as read; any application may have written it
 */
export function documentToStored(type: RecordType, document: Document, reading: Reading): Record<string, unknown> {
  const { _id: _key, [metadataField]: _own, ...members } = document
  return { ...withoutWithdrawing(members, reading.fields[type]), ...readFields(type, document, reading).fields }
}

/**
 * Reads the fields of a record from a document: under their own names, in their own types. An invalid value of an optional
 * field is null: a mistake of a crawler hides no record.
 *
 * E-mail addresses are removed from free texts.
 *
 * @param document as read; any application may have written it
 */
export function readFields(type: RecordType, document: Document, reading: Reading): ReadFields {
  const key: unknown = document['_id']
  const read = mapFields(type, documentValues<string>(document, reading.fields[type]), key)
  const { id, fields, refused } = read
  if (type === 'skills') {
    const { skillMd } = reading.fields.skills
    withdrawByText(fields, refused, document, (name) => skillMd.includes(name) || isSkillMd(name))
    const { owner, repo } = fields
    const isNamed = id !== null && typeof owner === 'string' && typeof repo === 'string'
    fields['url'] ??= isNamed ? addressOf({ owner, repo }, reading.urlTemplate) : null
    fields['id'] = id ?? rejectedId(fields, key)
  }
  return read
}

/** What of the settings decides how the fields of a document are read. */
export type Reading = Pick<DocumentSettings, 'fields' | 'urlTemplate'>

/** The members of a document without those that withdraw it: a stored record has its state instead. */
function withoutWithdrawing(members: Document, names: FieldNames[RecordType]): Document {
  const known = withdrawingNames(names)
  // Most documents have none of them, and are not copied.
  return Object.keys(members).some((name) => known.has(name))
    ? Object.fromEntries(Object.entries(members).filter(([name]) => !known.has(name)))
    : members
}

const withdrawingNames = onceByTable((names: FieldNames[RecordType]): ReadonlySet<string> => {
  const { hidden, shown, removed, status, visibility, hiddenAt, moderationFlags } = names
  return new Set([hidden, shown, removed, status, visibility, hiddenAt, moderationFlags].flat())
})

/** The id by which a document with an invalid owner or repository is reported. */
const rejectedId = ({ owner, repo, skill }: Record<string, unknown>, key: unknown): string =>
  typeof owner === 'string' && typeof repo === 'string'
    ? skillId(owner, repo, typeof skill === 'string' ? skill : null)
    : inText(key)

/**
 * The values of a document, by exactly these names. What withdraws it counts in any spelling, as in an import, unless its
 * operator has named the field: the libraries of some languages write `isprivate` or `IsPrivate`, tables
 * `repository.private`.
 */
export function documentValues<Field extends string>(
  document: Record<string, unknown>,
  names: Record<Field, readonly string[]>,
): FieldValues<Field> {
  const withdrawing = withdrawingPlaces(names)
  return findValues(
    document,
    names,
    (name) => name,
    (name) => placesIn(withdrawing, name),
  )
}

/** The names of members that may withdraw a document, but are not spelled as the table has them. */
export function otherSpellings(document: object, names: Partial<Record<string, readonly string[]>>): string[] {
  const withdrawing = withdrawingPlaces(names)
  const exact = placesOf(names as Record<string, readonly string[]>)
  return Object.keys(document).filter((name) => !exact.has(name) && placesIn(withdrawing, name) !== undefined)
}

/** A name such as `_status` is one of its writer's own. */
const placesIn = (withdrawing: Places, name: string) =>
  /^\p{L}/u.test(name) ? withdrawing.get(comparableName(name)) : undefined

/** The fields that withdraw a document and have the names of the table, by all of their comparable names. */
const withdrawingPlaces = onceByTable((names: Partial<Record<string, readonly string[]>>): Places => {
  const rows = lifecycleFields
    .filter((field) => recordTypes.some((type) => documentNames[type][field] === names[field]))
    .map((field) => [field, importNames.skills[field]])
  return placesOf(Object.fromEntries(rows))
})

/** The driver's way, but for regular expressions, of which MongoDB stores more kinds than JavaScript has. */
const reading: BSON.DeserializeOptions = { bsonRegExp: true, validation: { utf8: false } }

/** The member by which the driver knows the objects of its own types, and refuses to write others that have it. */
const driversMark = Buffer.from('_bsontype')

/**
 * Finds documents that any application may have written, one after the other. Each is read alone: the driver would fail
 * for all documents of an answer where it cannot read a value of one of them.
 */
export async function* readDocuments(
  collection: Collection,
  filter: Filter<Document>,
  options: FindOptions = {},
): AsyncGenerator<Document> {
  for await (const found of collection.find<Uint8Array>(filter, { ...options, raw: true })) {
    yield readDocument(found)
  }
}

/**
 * Reads the bytes of a document. A member that the driver cannot read, or could not write back, is undefined: a regular
 * expression with unknown options, an object with a member named `_bsontype`.
 */
function readDocument(bytes: Uint8Array): Document {
  const isPlain = !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(driversMark)
  return (isPlain ? tried(() => BSON.deserialize(bytes, reading)) : null) ?? readMembers(bytes)
}

function readMembers(bytes: Uint8Array): Document {
  const document: Document = {}
  for (const [, nameOffset, nameLength, offset, length] of BSON.onDemand.parseToElements(bytes)) {
    const element = bytes.subarray(nameOffset - 1, offset + length)
    const size = Buffer.alloc(4)
    size.writeInt32LE(element.length + 5)
    const member = tried(() => {
      const read = BSON.deserialize(Buffer.concat([size, element, Buffer.alloc(1)]), reading)
      BSON.serialize(read)
      return read
    })
    const name = Buffer.from(bytes.subarray(nameOffset, nameOffset + nameLength)).toString()
    // Not assigned: a member may have the name `__proto__`.
    const value = member === null ? undefined : Object.values(member)[0]
    Object.defineProperty(document, name, { value, enumerable: true, writable: true, configurable: true })
  }
  return document
}

function tried<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
