import { unwrap } from '../records/field-names.js'
import { inText } from '../text/clean-text.js'

/**
 * A value in JavaScript's own types: text, number, boolean, `Date`, list or object. The types of MongoDB's driver and
 * the objects that stand for them in Extended JSON, the format of `mongoexport`, are converted: numbers of any width,
 * times, identities. So are what a record of Strapi is linked with, and a slug of Sanity.
 *
 * @see https://www.mongodb.com/docs/manual/reference/mongodb-extended-json/
 */
export function plainValue(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || value instanceof Date) {
    return value
  }
  // The driver's classes have this member in their prototype; in an object of its own it is a document's.
  if ('_bsontype' in value && !Object.hasOwn(value, '_bsontype')) {
    const kind = String(value._bsontype)
    return driverNumbers.test(kind) ? numberOf(inText(value)) : driverTexts.test(kind) ? inText(value) : value
  }
  const names = Object.keys(value)
  const [name = ''] = names
  if (names.length === 1 && name.startsWith('$')) {
    return fromExtendedJson(value, name)
  }
  if (names.length === 1 && name === 'data') {
    const linked: unknown = Reflect.get(value, name)
    return Array.isArray(linked) ? linked.map(attributesOf) : attributesOf(linked)
  }
  const isSlug = names.length === 2 && Reflect.get(value, '_type') === 'slug'
  return isSlug ? Reflect.get(value, 'current') : (timeIn(value, names) ?? value)
}

/** The record of another type that a record of Strapi is linked with, `{"id": 1, "attributes": {"name": "MIT"}}`. */
const attributesOf = (linked: unknown): unknown => unwrap(linked, ['attributes'])

/** The time in an object of Firestore's libraries, by its seconds since 1970; null: it is none. */
function timeIn(value: object, names: string[]): Date | null {
  const [seconds, rest = '', ...others] = names
  const isTime = others.length === 0 && /^_?seconds$/.test(seconds ?? '') && /^_?nanos(?:econds)?$/.test(rest)
  const time = isTime ? new Date(Number(Reflect.get(value, seconds ?? '')) * 1_000) : null
  return time === null || Number.isNaN(time.getTime()) ? null : time
}

/** The classes of the driver for numbers, and for texts. */
const driverNumbers = /^(?:Long|Int32|Double|Decimal128)$/
const driverTexts = /^(?:ObjectId|BSONSymbol)$/

function fromExtendedJson(value: object, name: string): unknown {
  const inner: unknown = Reflect.get(value, name)
  if (name === '$date') {
    const time = plainValue(inner)
    // As a number it is in milliseconds, however small; as text it is ISO-8601.
    return typeof time === 'number' ? new Date(time) : typeof time === 'string' ? time : value
  }
  if (typeof inner !== 'string') {
    return value
  }
  return /^\$number(?:Int|Long|Double|Decimal)$/.test(name)
    ? numberOf(inner)
    : ['$oid', '$symbol'].includes(name)
      ? inner
      : value
}

/** The number that a text stands for, or the text where a JavaScript number would be another one. */
function numberOf(text: string): number | string {
  const number = Number(text)
  return text.trim() !== '' && (Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number)))
    ? number
    : text
}
