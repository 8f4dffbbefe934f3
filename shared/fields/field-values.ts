import { comparableName, onceByTable, unwrap } from '../records/field-names.js'
import { cleanLine, inText } from '../text/clean-text.js'
import { parseTime } from '../text/parse-time.js'
import { countIn, objectIn, splitTopics } from '../text/values-in-text.js'
import { plainValue } from './plain-value.js'

/** The fields of a record as its input has them. What the input lacks is null; the schema decides whether it may be. */
export interface MappedFields {
  /** The record's identity; null when the input does not say which record it is. */
  id: string | null
  /** The id of a prompt by its title alone, where its id is made from more; absent for all other records. */
  titleId?: string | undefined
  fields: Record<string, unknown>
}

/** What programs write for no value: databases, data frames, and spreadsheets, also where a formula has failed. */
const noValue =
  /^(?:\\N|null|\((?:null|none|empty)\)|n\.\s?a\.|nil|undefined|none|nan|nat|<na>|#?n\/?a|#nv|#(?:ref|div\/0|null|num|value)!|#name\?|[-–—]+|\[\s*\]|\{\s*\})$/i

/** Whether a value that is no name or topic stands for no value. */
export const isNoValue = (value: unknown): boolean =>
  typeof value === 'string' ? noValue.test(value.trim()) : Number.isNaN(value)

/** Whether a name or a topic stands for none: in lower case a word for it may be meant. */
export const isNoName = (value: unknown): boolean =>
  isNoValue(value) && !(typeof value === 'string' && /^\s*[a-z]+\s*$/.test(value))

/**
 * Whether a name is the number of a row or a key that a database has made: a UUID, MongoDB's, Firebase's, or one of letters and
 * digits that alternate, as of Firestore and Convex.
 */
export const isRowKey = (name: string): boolean =>
  /^(?:\d+|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|[\da-f]{24}|-[\w-]{19})$/i.test(name) ||
  /^(?=.{17,36}$)[a-z]*(?:\d+[a-z]+){3,}\d*$/i.test(name)

/** What programs write for no time: Go's begin in the year 1, databases' in the year 0 or with 1970. */
const zeroTime = parseTime(0)

/** Whether a value of a time stands for none. */
export const isZeroTime = (value: unknown): boolean =>
  value instanceof Date
    ? value.getTime() <= 0
    : typeof value === 'string'
      ? /^\s*000[01]-/.test(value) || parseTime(value) === zeroTime
      : typeof value === 'number' && parseTime(value) === zeroTime

/** Words of flags, as programs and databases write them, and spreadsheets in their users' languages. */
const yes: ReadonlySet<string> = new Set([
  ...['true', 'yes', 'y', 't', 'on', '1', '1.0'],
  ...'wahr ja vrai oui verdadero sí si vero sì verdadeiro sim waar sant prawda sand sann tosi kyllä'.split(' '),
  ...'pravda ano igaz igen doğru evet истина да 是 はい 예 ✓ ✔ ☑ ✅'.split(' '),
])
const no: ReadonlySet<string> = new Set([
  ...['false', 'no', 'n', 'f', 'off', '0', '0.0'],
  ...'falsch nein faux non falso não onwaar nee falskt nej fałsz nie falsk usann epätosi ei'.split(' '),
  ...'nepravda ne hamis nem yanlış hayır ложь нет 否 いいえ 아니요 ✗ ✘ ☐ ❌'.split(' '),
])

/** True or false; null for a value that is neither. */
export function flagIn(value: unknown): boolean | null {
  const text = value === null || typeof value === 'object' ? '' : inText(value)
  const word = text
    .replace(/\ufe0f/g, '')
    .trim()
    .toLowerCase()
  return yes.has(word) || (no.has(word) ? false : null)
}

/** A value, or the first of these members that it has. */
export const unwrapped = (value: unknown, names: string[]): unknown =>
  typeof value !== 'object' || value instanceof Date ? value : plainValue(unwrap(value, names))

/** A licence in an object, or several of them in a list, each of which may be one. */
export function licenceIn(value: unknown): unknown {
  const names = ['spdxId', 'key', 'name', 'type', 'id', 'title', 'text', 'license']
  const of = (item: unknown): unknown => unwrapped(unwrapped(item, names), names)
  const items = Array.isArray(value) ? value.map(of) : []
  return items.length > 0 && items.every((item) => typeof item === 'string') ? items.join(', ') : of(value)
}

/**
 * The number of characters of a text that are read, more than any public text has. A regular expression may need memory for
 * each character, and fails where it gets no more.
 */
const maxRead = 1_000_000

// What these return: undefined for a value that is none of the kind, null for one that stands for none.

/** Text, also of a number: versions and names of digits alone come so from programs that guess types. */
export function stringIn(value: unknown): string | null | undefined {
  if (value === undefined || typeof value === 'string') {
    return value?.slice(0, maxRead) ?? null
  }
  return typeof value === 'number' ? String(value) : undefined
}

/** The number that counts something, also as text; undefined for a value that is none. */
export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' ? countIn(value) : value
  // Not -0, which is not the same in JSON.
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count || 0 : undefined
}

/** A text that `clean` has cleaned; what is no text stays. */
export const cleaned = (
  text: string | null | undefined,
  clean: (text: string) => string | null,
): string | null | undefined => (typeof text === 'string' ? clean(text) : text)

/** Members of an object that stand for it in one line: of a user, a version, a language. */
const lineMembers = ['login', 'handle', 'username', 'version', 'tagName', 'name']

/** Text on one line. */
export const lineIn = (value: unknown): string | null | undefined =>
  cleaned(stringIn(unwrapped(value, lineMembers)), cleanLine)

/** Names of the number of topics in an answer, where nothing else of them was asked for. */
const countNames = new Set(['count', 'total', 'totalcount'])

/**
 * The topics in a list or a text, in an answer of GitHub's GraphQL, or in the names of flags that are true or of weights;
 * another object has none: registries have versions by tag.
 */
export function itemsIn(value: unknown): unknown[] | null | undefined {
  if (typeof value === 'string') {
    return isNoName(value) ? null : splitTopics(value.slice(0, maxRead))
  }
  if (value === null || typeof value !== 'object') {
    return isNoValue(value) ? null : undefined
  }
  const flags = Array.isArray(value) ? [] : Object.entries(value)
  const areFlags =
    flags.length > 0 &&
    flags.every(
      ([name, flag]) =>
        /^(?:true|false)$/i.test(inText(flag)) || (typeof flag === 'number' && !countNames.has(comparableName(name))),
    )
  const names = flags.flatMap(([name, flag]) => ((flagIn(flag) ?? Number(flag) > 0) ? [name] : []))
  const list = areFlags ? names : unwrap(value, ['nodes', 'edges', 'items', 'names', 'list'])
  return Array.isArray(list) && list.length > 0 ? list : null
}

/** Members of an object that stand for a topic. */
const topicMembers = ['name', 'topic', 'tag', 'node', 'label', 'slug', 'tagName', 'value', 'element', 'title', 'text']

/** A topic in lower case, which may be in objects of an answer, `{"node": {"topic": {"name": "pdf"}}}`, or after the mark of a list. */
export function topicIn(item: unknown): string | null | undefined {
  let value = plainValue(item)
  for (let levels = 3; levels > 0 && value !== null && typeof value === 'object'; levels -= 1) {
    value = plainValue(unwrap(value, topicMembers))
  }
  const text = value === null ? null : cleaned(stringIn(value), cleanLine)
  return text?.toLowerCase().replace(/^(?:[-*•] )?(?:#+ *)?(?=[^# ])/, '') ?? text
}

/** A value of an input, under the name that the input gives it. */
export interface GivenValue {
  name: string
  value: unknown
}

/** Finds the values that an input has for a field, in order of preference. None of them is null or blank. */
export type FieldValues<Field extends string> = (field: Field) => GivenValue[]

/** The values of a record whose names are compared without case and punctuation. */
export const valuesByComparableName = <Field extends string>(
  record: Record<string, unknown>,
  names: Record<Field, readonly string[]>,
): FieldValues<Field> => findValues(record, names, comparableName)

/** The fields that a name may be of, each with its place in the order of the field's names. */
export type Places = Map<string, { field: string; place: number }[]>

/**
 * The values of a record by the names of a table.
 *
 * @param names the names of each field, in order of preference
 * @param spell a member's name as the table spells it
 * @param otherwise the fields of a member whose name the table has not
 */
export function findValues<Field extends string>(
  record: Record<string, unknown>,
  names: Record<Field, readonly string[]>,
  spell: (name: string) => string,
  otherwise: (name: string) => ReturnType<Places['get']> = () => undefined,
): FieldValues<Field> {
  const places = placesOf(names)
  const found = new Map<string, (GivenValue & { place: number })[]>()
  if (isDraft(record)) {
    found.set('hidden', [{ name: '_id', value: true, place: 0 }])
  }
  for (const [name, given] of Object.entries(record)) {
    const fields = places.get(spell(name)) ?? otherwise(name)
    const value = fields === undefined ? null : plainValue(fields.some(isFreeText) ? given : fromText(given))
    if (fields !== undefined && (isPresent(value) || (value === '' && fields.some(mayBeEmpty)))) {
      for (const { field, place } of fields) {
        const values = found.get(field) ?? []
        values.push({ name, value, place })
        found.set(field, values)
      }
    }
  }
  for (const values of found.values()) {
    if (values.length > 1) {
      values.sort((a, b) => a.place - b.place || Number(isPlain(b.name)) - Number(isPlain(a.name)))
    }
  }
  return (field) => found.get(field) ?? []
}

/**
 * Whether the key is that of a draft, or of a version to be released, as in exports of Sanity, and no name of the record; or
 * there is no time of publishing where Strapi writes one.
 */
export const isDraft = ({ _id, id, login, documentId, publishedAt }: Record<string, unknown>): boolean =>
  (typeof _id === 'string' && /^(?:drafts|versions\.[^.]+)\../.test(_id) && _id !== id && _id !== login) ||
  (typeof documentId === 'string' && publishedAt === null)

/** Fields of which a text that looks like an object is meant as a text. */
const freeTexts = new Set(['name', 'title', 'description', 'content', 'skillMd'])

const isFreeText = ({ field }: { field: string }): boolean => freeTexts.has(field)

/** Tables have the objects of a record as texts. */
const fromText = (value: unknown): unknown => (typeof value === 'string' ? (objectIn(value) ?? value) : value)

/** The folder of a skill in the root of its repository has an empty path. */
const mayBeEmpty = ({ field }: { field: string }): boolean => field === 'path'

/** The fields of each name: a record has few of the many names, so that its members are looked up and not the names. */
export const placesOf = onceByTable((names: Record<string, readonly string[]>): Places => {
  const places: Places = new Map()
  for (const [field, list] of Object.entries(names)) {
    for (const [place, name] of list.entries()) {
      places.set(name, [...(places.get(name) ?? []), { field, place }])
    }
  }
  return places
})

/** Spelled as in the table. Of two spellings of a name it comes first, as in documents: `fullName`, then `full_name`. */
const isPlain = (name: string): boolean => /^[\p{L}\p{N}]+$/u.test(name)

/** Databases write \N for no value in text of any kind. */
const isPresent = (value: unknown): boolean => {
  const text = typeof value === 'string' ? value.trim() : value
  return text !== null && text !== undefined && text !== '' && text !== '\\N'
}
