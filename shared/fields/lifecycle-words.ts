import { comparableName, unwrap } from '../records/field-names.js'
import type { RecordState } from '../records/fields.js'
import { parseJson } from '../runtime/http-answers.js'
import { inText } from '../text/clean-text.js'
import { parseTime } from '../text/parse-time.js'
import { flagIn, isNoValue, isZeroTime } from './field-values.js'
import { plainValue } from './plain-value.js'

/** What a value says about its record; null: nothing. */
export type Said = RecordState | 'unclear' | null

const wordsIn = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Words for a record that is published, also those that say more about it; the last one is that of Gitee and GitCode. */
const publishedWords = wordsOf(
  'published publish public visible listed shown active enabled approved accepted available online live released open official ' +
    'stable beta alpha preview experimental deprecated archived maintained unmaintained latest current completed done ready ' +
    'complete finished final mature tested validated working operational implemented functional evergreen ' +
    'ok okay clean safe benign passed verified normal production prod ga success successful succeeded 200 开始',
)
const hiddenWords = wordsOf(
  'hidden private internal confidential restricted secret draft unlisted delisted unpublished unapproved disabled inactive ' +
    'suspended blocked banned quarantined pending rejected declined denied flagged suspicious malicious malware spam ' +
    'invisible unavailable offline embargoed paused review moderation limited',
)
const removedWords = wordsOf(
  'removed deleted yanked withdrawn revoked retracted trashed purged terminated takedown trash',
)

/** Those who may see what is not for everybody, and the words around them. */
const someReaders = wordsOf(
  'team teams organization organizations organisation organisations org orgs group groups members company enterprise ' +
    'employees staff workspace tenant department friends followers contacts collaborators subscribers customers ' +
    'authenticated authorized authorised registered invited',
)
const aroundReaders = wordsOf('only just my our the of in with to shared selected specific users people wide level')

/** Words for who may see a record, where nothing else is said, and the words around them. */
const levelWords = wordsOf('private internal confidential secret hidden unlisted draft unpublished')
const aroundLevels = wordsOf('only use')

/** How logs of changes say that a record has been removed. */
const removal = /(?:^d|(?<!un)(?:deleted?|removed?|destroy(?:ed)?))$/i

const heldIn = 'value name state status level mode label key slug text title type'.split(' ')

/** The value that an object of a state or a flag holds. */
const held = (given: unknown): unknown => plainValue(unwrap(given, heldIn))

/** What a word for a state, a status or a visibility says. */
export function wordSays(given: unknown): Said {
  const value = held(given)
  if (Array.isArray(value)) {
    return gravest(value.map(wordSays))
  }
  const text = textOf(value)
  if (text === null || text === '') {
    return text === null ? 'unclear' : null
  }
  const flag = flagIn(value)
  if (flag !== null) {
    return flag ? 'published' : 'hidden'
  }
  // At Joomla -2 is in the trash.
  if (text === '-2') {
    return 'removed'
  }
  const words = wordsIn(text)
  const isAny = (known: ReadonlySet<string>): boolean => words.some((word) => known.has(word))
  return isAny(removedWords)
    ? 'removed'
    : isAny(hiddenWords)
      ? 'hidden'
      : words.length > 0 && words.every((word) => publishedWords.has(word))
        ? 'published'
        : 'unclear'
}

/** A change that has removed the record, also as the type of an event: `D`, `DELETE`, `com.acme.skill.deleted`. */
export function changeSays(value: unknown): Said {
  return typeof value === 'string' && removal.test(value.trim()) ? 'removed' : null
}

/** What a word, a level or grants say about those who may see a record. */
export function visibilitySays(value: unknown, name: string): Said {
  if (value !== null && typeof value === 'object' && areGrants(value, comparableName(name))) {
    return isGrantedToAll(value) ? null : 'hidden'
  }
  const text = textOf(value)
  // At GitLab 10 is internal and 20 public. Where nothing can be seen by anybody, that is a level of visibility too.
  if (text === '20' || text === '10' || inText(value).trim().toLowerCase() === 'none') {
    return text === '20' ? 'published' : 'hidden'
  }
  const said = namesReaders(held(value)) ? 'hidden' : wordSays(value)
  const isAlways = /visibility/i.test(name) || (typeof value === 'string' && /sharing|privacy./i.test(name))
  return said === 'unclear' && !isAlways ? null : said
}

const areGrants = (value: object, name: string): boolean =>
  /access(?:control|grants)$/.test(name) ||
  (name.endsWith('acl') && isObject(value) && Object.values(value).every(isObject))

/** Whether one of these grants is for everybody, as Open WebUI writes a list, and Parse an object of them by readers. */
const isGrantedToAll = (grants: object): boolean =>
  Array.isArray(grants)
    ? grants.some((grant) => isObject(grant) && grant['principal_id'] === '*')
    : isObject(grants) && isObject(grants['*']) && grants['*']['read'] === true

/** A word for who may see a record, or for its removal, and nothing else. */
export function levelSays(given: unknown): Said {
  const words = wordsIn(textOf(held(given)) ?? '')
  const isLevel = words.some((word) => levelWords.has(word))
  return areReadersNamed(given) || (isLevel && words.every((word) => levelWords.has(word) || aroundLevels.has(word)))
    ? 'hidden'
    : words.length === 1 && removedWords.has(words[0] ?? '')
      ? 'removed'
      : null
}

/** Whether a list of permissions, as of Appwrite, names readers, `read("user:1")`, and not anybody. */
const areReadersNamed = (permissions: unknown): boolean =>
  Array.isArray(permissions) &&
  permissions.some((each) => /^read\(/.test(inText(each))) &&
  !permissions.some((each) => /^read\(["'](?:any|role:all)["']\)$|^read\(["']\*["']\)$/.test(inText(each)))

/** Whether a value names some readers and nothing else, so that a sentence about them is none. */
function namesReaders(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.some(namesReaders)
  }
  const words = wordsIn(textOf(value) ?? '')
  return (
    words.some((word) => someReaders.has(word)) &&
    words.every((word) => someReaders.has(word) || aroundReaders.has(word))
  )
}

/** What a flag says that withdraws a record where it is true, or a time since which it does. */
export function flagSays(given: unknown, withdrawn: Said): Said {
  const value = given instanceof Date ? given : held(given)
  if (Array.isArray(value)) {
    return gravest(value.map((each) => flagSays(each, withdrawn)))
  }
  const flag = flagIn(value)
  if (flag !== null || isTime(value)) {
    return flag === false ? null : withdrawn
  }
  const said = wordSays(value)
  return said === 'published' ? null : said
}

/** What a flag says that withdraws a record where it is false. */
export function shownSays(value: unknown, name: string): Said {
  const said = isTime(value) ? null : wordSays(value)
  // `published` may be a time in any words.
  return said === 'published' || (said === 'unclear' && comparableName(name).startsWith('publish')) ? null : said
}

/** Any time but none at all: a record without its removal has null, 0 or the zero time of a program's language. */
export function timeSays(value: unknown, withdrawn: Said): Said {
  const isNone = isObject(value) && Object.values(value).every((member) => member === null)
  return isNone || textOf(value) === '' || flagIn(value) === false || isZeroTime(value) ? null : withdrawn
}

/** Reasons against a record, or for each whether it applies. */
export function listSays(given: unknown): Said {
  const value = parsed(given)
  if (Array.isArray(value) || isObject(value)) {
    return gravest(Object.values(value).map(listSays))
  }
  const said = flagIn(value) === null ? wordSays(value) : flagSays(value, 'hidden')
  return said === 'unclear' ? 'hidden' : said === 'published' ? null : said
}

/** Of all that is said, what withdraws a record most; null: nothing is said. */
export const gravest = (said: Said[]): Said =>
  (['removed', 'hidden', 'unclear', 'published'] as const).find((what) => said.includes(what)) ?? null

/** A single value as text in lower case, a capital letter within as the begin of a word; empty for none, null for others. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined || isNoValue(value)) {
    return ''
  }
  return typeof value === 'object'
    ? null
    : inText(value)
        .trim()
        .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
        .toLowerCase()
}

/** The smallest number that is a time and no count, in seconds. */
const smallestTime = 100_000_000

const isTime = (value: unknown): boolean =>
  !isZeroTime(value) &&
  (value instanceof Date ||
    (typeof value === 'number'
      ? value >= smallestTime
      : typeof value === 'string' && /\d{4}/.test(value) && parseTime(value) !== null))

/** Whether a value has members. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)

/** A value, or the list or object of a JSON text. */
export const parsed = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*[[{]/.test(value) ? (parseJson(value) ?? value) : value
