import { memberOf, unwrap } from '../../../shared/records/field-names.js'
import { isRecord, type Members } from './source.js'

/** How a value is written in an object under the name of its type, by these names. */
const types: [name: RegExp, is: (value: unknown) => boolean, read?: (value: unknown) => unknown][] = [
  // Of Firestore.
  [/^nullValue$/, () => true, () => null],
  [/^booleanValue$/, isFlag],
  [/^(?:integer|double)Value$/, isNumber],
  [/^(?:timestamp|string|reference|bytes)Value$/, isText],
  [/^geoPointValue$/, isRecord],
  [/^arrayValue$/, isRecord, (value) => listOf(isRecord(value) ? (value['values'] ?? []) : value)],
  [/^mapValue$/, isRecord, (value) => membersOf(isRecord(value) ? (value['fields'] ?? {}) : value)],
  // Of DynamoDB.
  [/^NULL$/, isFlag, () => null],
  [/^BOOL$/, isFlag],
  [/^[NSB]$/, isText],
  [/^[NSB]S$/, Array.isArray],
  [/^L$/, Array.isArray, listOf],
  [/^M$/, isRecord, membersOf],
]

/**
 * A document of Firestore, or an item of DynamoDB, whose values are objects with the name of their type, as a record of plain
 * values: `{"fields": {"fullName": {"stringValue": "acme/kit"}}}`, `{"Item": {"fullName": {"S": "acme/kit"}}}`.
 *
 * So is a document of Solr, or the `fields` of one of Elasticsearch, which has every value in a list; and a page of Notion.
 *
 * @returns any other object as it is
 * @see https://cloud.google.com/firestore/docs/reference/rest/v1/Value
 */
export function fromTyped(record: Members): Members {
  if (areTyped(record)) {
    return membersOf(record)
  }
  if (record['object'] === 'page' && isRecord(record['properties'])) {
    return fromNotion(record, record['properties'])
  }
  const image = imageIn(record)
  if (image !== null) {
    return image
  }
  for (const name of ['fields', 'Item']) {
    const members = record[name]
    if (isRecord(members) && areTyped(members)) {
      // Its name is the path of the document.
      const { [name]: _members, name: _path, ...others } = record
      return { ...others, ...membersOf(members) }
    }
    if (isRecord(members) && areListed(members)) {
      return { ...record, [name]: withoutLists(members) }
    }
  }
  const own = ofDatabase.some((name) => Object.hasOwn(record, name)) ? withoutVersion(record) : record
  return areListed(own) ? withoutLists(own) : own
}

/**
 * The item in an event of DynamoDB's streams, or a line of its incremental exports: as it was, where it has been deleted since.
 * Null: there is none, or a stream has it only as it was before another change.
 */
function imageIn(record: Members): Members | null {
  const { dynamodb, eventName } = record
  const images = isRecord(dynamodb) ? dynamodb : record
  const { NewImage: now, OldImage: before } = images
  if (isRecord(now) && areTyped(now)) {
    return membersOf(now)
  }
  const isDeleted = eventName === 'REMOVE' || (eventName === undefined && isRecord(images['Keys']))
  return isDeleted && isRecord(before) && areTyped(before) ? { ...membersOf(before), deleted: true } : null
}

/** A page of Notion by its properties, the columns of a table: its own address is that of a row, and it is archived in the trash. */
const fromNotion = (page: Members, properties: Members): Members => ({
  ...Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, ofNotion(value)])),
  in_trash: page['in_trash'] === true || page['archived'] === true,
})

/** The value of a property of Notion, under the name of its type: parts of a text, an option or several, or a day. */
function ofNotion(value: unknown): unknown {
  if (Array.isArray(value)) {
    const parts = value.map((part) => unwrap(part, ['plain_text', 'name']))
    return value.every((part) => isRecord(part) && isText(part['plain_text'])) ? parts.join('') : parts
  }
  const type = isRecord(value) ? value['type'] : null
  return isRecord(value) && typeof type === 'string' && Object.hasOwn(value, type)
    ? ofNotion(value[type])
    : unwrap(value, ['name', 'start'])
}

/** How often Solr and Elasticsearch have written a document: no version of a skill. */
const ofDatabase = ['_version_', '_version']

const withoutVersion = (record: Members): Members =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !ofDatabase.includes(name)))

/** What Solr has outside of lists: the key, the version and the score of a document. */
const ofSolr = /^(?:id|score|_.*_?)$/

/** Names of what a record has one of. */
const single = ['fullName', 'repo', 'url', 'name', 'title', 'description']

/** Whether all members are lists, one of which has the single value that another record has by itself. */
function areListed(record: Members): boolean {
  const members = Object.entries(record).filter(([name]) => !ofSolr.test(name))
  const areLists = members.length > 1 && members.every(([, value]) => Array.isArray(value) && !value.some(isRecord))
  return areLists && single.some((name) => Array.isArray(memberOf(record, [name])))
}

const withoutLists = (record: Members): Members =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      Array.isArray(value) && value.length === 1 ? value[0] : value,
    ]),
  )

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isNumber(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean'
}

const areTyped = (members: Members): boolean => {
  const values = Object.values(members)
  return values.length > 0 && values.every((value) => plain(value) !== value)
}

/** The value in an object under the name of its type; any other value as it is. */
function plain(value: unknown): unknown {
  const [name, ...others] = isRecord(value) ? Object.keys(value) : []
  if (!isRecord(value) || name === undefined || others.length > 0) {
    return value
  }
  const inner = value[name]
  const type = types.find(([form, is]) => form.test(name) && is(inner))
  if (type === undefined) {
    return value
  }
  const [, , read] = type
  return read === undefined ? inner : read(inner)
}

function listOf(values: unknown): unknown {
  return Array.isArray(values) ? values.map(plain) : values
}

function membersOf(members: unknown): Members {
  return isRecord(members)
    ? Object.fromEntries(Object.entries(members).map(([name, value]) => [name, plain(value)]))
    : {}
}
