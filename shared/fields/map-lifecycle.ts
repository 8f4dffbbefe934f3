import { comparableName, lifecycleMembers, unwrap } from '../records/field-names.js'
import { isRecordState, type RecordState } from '../records/fields.js'
import type { LifecycleField } from '../records/lifecycle-names.js'
import { parseJson } from '../runtime/http-answers.js'
import { inText, shorten } from '../text/clean-text.js'
import { parseTime } from '../text/parse-time.js'
import { brief, type FieldReader } from './field-reader.js'
import {
  type FieldValues,
  flagIn,
  type GivenValue,
  isNoValue,
  isZeroTime,
  valuesByComparableName,
} from './field-values.js'
import { plainValue } from './plain-value.js'

/** What a value says about its record; null: nothing. */
type Said = RecordState | 'unclear' | null

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

/** How logs of changes say that a record has been removed. */
const removal = /(?:^d|(?<!un)(?:deleted?|removed?|destroy(?:ed)?))$/i

/**
 * Whether a record is shown. Any field withdraws it: a word for its state, status or visibility, a flag, a time of its
 * removal, a moderator's verdict; in the record or in its `metadata` or `moderation`. None undoes another.
 *
 * What cannot be understood must not be published by mistake: its text is returned as the state, which no schema accepts.
 *
 * @param places objects of what the record lies in, such as its repository: their own members count as well
 */
export function mapLifecycle(
  fields: FieldReader<LifecycleField | 'updatedAt'>,
  places: unknown[] = [],
): {
  state: string
  removedAt: string | null
} {
  const said = [fields.given, ...places.filter(isObject).map(lifecycleOf)].flatMap((given) => [...sayings(given)])
  const what = gravest(said.map((saying) => saying.what)) ?? 'published'
  const unclear = what === 'unclear' && said.find((saying) => saying.what === 'unclear')
  return {
    state: unclear ? unclearState(fields, unclear.given) : what,
    removedAt: what === 'removed' ? (fields.time('removedAt') ?? fields.time('updatedAt')) : null,
  }
}

/** Whether a source says that its record is published: without that, a hidden record stays hidden. */
export const saysPublished = (given: FieldValues<'state'>): boolean =>
  given('state').some(({ value }) => wordSays(value) === 'published')

function unclearState(fields: FieldReader<LifecycleField | 'updatedAt'>, { name, value }: GivenValue): string {
  fields.refused.set(
    'state',
    `${name}: must say whether it is published, for instance published, hidden or removed, not ${brief(value)}`,
  )
  const text = name.toLowerCase() === 'state' && typeof value === 'string' ? value.trim().toLowerCase() : null
  return text === null || isRecordState(text) ? `${name}: ${brief(value)}` : shorten(text, 60)
}

function* sayings(given: FieldValues<LifecycleField>): Generator<{ given: GivenValue; what: Said }> {
  for (const [field, says] of rules) {
    for (const value of given(field)) {
      yield { given: value, what: says(value.value, value.name) }
    }
  }
  for (const { name, value } of given('moderation')) {
    const members = parsed(value)
    if (isObject(members)) {
      yield* sayings(valuesByComparableName(members, moderationMembers))
    } else {
      yield { given: { name, value }, what: Array.isArray(members) ? listSays(members) : wordSays(members) }
    }
  }
  for (const { name, value } of given('metadata')) {
    // Registries put what they say into an object with their own name.
    const isRegistry = comparableName(name) === 'meta'
    for (const { members, depth } of [parsed(value)].flat().flatMap((each) => [...objectsIn(each, 0)])) {
      for (const saying of sayings(lifecycleOf(members))) {
        if (saying.what !== 'unclear' || depth === 0 || isRegistry) {
          yield saying
        }
      }
    }
  }
}

/** The maximum number of objects around an object that is read. */
const maxDepth = 5

function* objectsIn(value: unknown, depth: number): Generator<{ members: Record<string, unknown>; depth: number }> {
  if (isObject(value) && depth < maxDepth) {
    yield { members: value, depth }
    for (const member of Object.values(value)) {
      yield* objectsIn(member, depth + 1)
    }
  }
}

/** The members of an object, which are read to a depth of their own. */
const memberNames = { ...lifecycleMembers, metadata: [], moderation: [] }

const lifecycleOf = (members: Record<string, unknown>): FieldValues<LifecycleField> =>
  valuesByComparableName(members, memberNames)

const moderationMembers = {
  ...memberNames,
  status: [...lifecycleMembers.status, 'verdict', 'decision'],
  moderationFlags: [...lifecycleMembers.moderationFlags, 'flags'],
}

const rules: [field: LifecycleField, says: (value: unknown, name: string) => Said][] = [
  ['state', wordSays],
  ['status', wordSays],
  ['change', changeSays],
  ['visibility', visibilitySays],
  ['hidden', (value) => flagSays(value, 'hidden')],
  ['removed', (value) => flagSays(value, 'removed')],
  ['shown', shownSays],
  ['hiddenAt', (value) => timeSays(value, 'hidden')],
  ['removedAt', (value) => timeSays(value, 'removed')],
  ['moderationFlags', listSays],
]

/** The value that an object of a state or a flag holds. */
const held = (given: unknown): unknown =>
  plainValue(unwrap(given, ['value', 'name', 'state', 'status', 'level', 'type']))

function wordSays(given: unknown): Said {
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

function visibilitySays(value: unknown, name: string): Said {
  if (value !== null && typeof value === 'object' && /access(?:control|grants)$/.test(comparableName(name))) {
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

/** Whether a list of grants has one for everybody, as Open WebUI writes it; where it has an object of readers, it is for them. */
const isGrantedToAll = (grants: object): boolean =>
  Array.isArray(grants) && grants.some((grant) => isObject(grant) && grant['principal_id'] === '*')

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

function flagSays(given: unknown, withdrawn: Said): Said {
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

function shownSays(value: unknown, name: string): Said {
  const said = isTime(value) ? null : wordSays(value)
  // `published` may be a time in any words.
  return said === 'published' || (said === 'unclear' && comparableName(name).startsWith('publish')) ? null : said
}

/** Any time but none at all: a record without its removal has null, 0 or the zero time of a program's language. */
function timeSays(value: unknown, withdrawn: Said): Said {
  const isNone = isObject(value) && Object.values(value).every((member) => member === null)
  return isNone || textOf(value) === '' || flagIn(value) === false || isZeroTime(value) ? null : withdrawn
}

/** Reasons against a record, or for each whether it applies. */
function listSays(given: unknown): Said {
  const value = parsed(given)
  if (Array.isArray(value)) {
    return gravest(value.map(listSays))
  }
  if (isObject(value)) {
    return gravest(Object.values(value).map(listSays))
  }
  const said = flagIn(value) === null ? wordSays(value) : flagSays(value, 'hidden')
  return said === 'unclear' ? 'hidden' : said === 'published' ? null : said
}

const gravest = (said: Said[]): Said =>
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)

/** A value, or the list or object of a JSON text. */
const parsed = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*[[{]/.test(value) ? (parseJson(value) ?? value) : value
