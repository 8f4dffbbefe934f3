import { inText } from '../text/in-text.js'

/**
 * A value in JavaScript's own types: text, number, boolean, `Date`, list or object. The types of MongoDB's driver and
 * the objects that stand for them in Extended JSON, the format of `mongoexport`, are converted: numbers of any width,
 * times, identities.
 *
 * @see https://www.mongodb.com/docs/manual/reference/mongodb-extended-json/
 */
export function plainValue(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || value instanceof Date) {
    return value
  }
  // The driver's classes have this member in their prototype; in an object of its own it is a document's.
  if ('_bsontype' in value && !Object.hasOwn(value, '_bsontype')) {
    return fromDriver(value, value._bsontype)
  }
  const names = Object.keys(value)
  const [name = ''] = names
  return names.length === 1 && name.startsWith('$') ? fromExtendedJson(value, name) : value
}

function fromDriver(value: object, kind: unknown): unknown {
  switch (kind) {
    case 'Long':
    case 'Int32':
    case 'Double':
    case 'Decimal128':
      return numberOf(inText(value))
    case 'ObjectId':
    case 'BSONSymbol':
      return inText(value)
    default:
      return value
  }
}

function fromExtendedJson(value: object, name: string): unknown {
  const inner: unknown = Reflect.get(value, name)
  switch (name) {
    case '$numberInt':
    case '$numberLong':
    case '$numberDouble':
    case '$numberDecimal':
      return typeof inner === 'string' ? numberOf(inner) : value
    case '$date': {
      const time = plainValue(inner)
      // As a number it is in milliseconds, however small; as text it is ISO-8601.
      return typeof time === 'number' ? new Date(time) : typeof time === 'string' ? time : value
    }
    case '$oid':
    case '$symbol':
      return typeof inner === 'string' ? inner : value
    default:
      return value
  }
}

/** The number that a text stands for, or the text where a JavaScript number would be another one. */
function numberOf(text: string): number | string {
  const number = Number(text)
  return text.trim() !== '' && (Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number)))
    ? number
    : text
}

/** What programs write for no value: databases, spreadsheets and data frames. */
const noValue = /^(?:\\N|null|\(null\)|nil|undefined|none|nan|nat|<na>|#?n\/a)$/i

/** Whether a value of a field that is no free text stands for no value. As a name or a topic these words may be meant. */
export const isNoValue = (value: unknown): boolean =>
  typeof value === 'string' ? noValue.test(value.trim()) : Number.isNaN(value)

/** The latest of the times that programs write for none: Go's begin in the year 1, databases' in the year 0 or 1970. */
const latestZeroTimeMs = 0

/** Whether a value of a time stands for none. */
export const isZeroTime = (value: unknown): boolean =>
  value instanceof Date
    ? value.getTime() <= latestZeroTimeMs
    : value === 0 ||
      (typeof value === 'string' &&
        /^\s*(?:0|000[01]-.*|1970-01-01(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00(?::?00)?)?)?)\s*$/.test(value))

/** Words of flags, as programs and databases write them. */
const yes: ReadonlySet<string> = new Set(['true', 'yes', 'y', 't', 'on', '1', '1.0'])
const no: ReadonlySet<string> = new Set(['false', 'no', 'n', 'f', 'off', '0', '0.0'])

/** True or false; null for a value that is neither. */
export function flagIn(value: unknown): boolean | null {
  const word = value === null || typeof value === 'object' ? '' : inText(value).trim().toLowerCase()
  return yes.has(word) || (no.has(word) ? false : null)
}
