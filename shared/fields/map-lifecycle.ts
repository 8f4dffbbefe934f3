import { comparableName, lifecycleMembers, placeMembers } from '../records/field-names.js'
import { isRecordState } from '../records/fields.js'
import type { LifecycleField } from '../records/lifecycle-names.js'
import { shorten } from '../text/clean-text.js'
import { brief, type FieldReader } from './field-reader.js'
import { type FieldValues, type GivenValue, valuesByComparableName } from './field-values.js'
import {
  changeSays,
  flagSays,
  gravest,
  isObject,
  levelSays,
  listSays,
  parsed,
  type Said,
  shownSays,
  timeSays,
  visibilitySays,
  wordSays,
} from './lifecycle-words.js'

/**
 * Whether a record is shown. Any field withdraws it: a word for its state, status or visibility, a flag, a time of its
 * removal, a moderator's verdict; in the record or in its `metadata` or `moderation`. None undoes another.
 *
 * What cannot be understood must not be published by mistake: its text is returned as the state, which no schema accepts.
 *
 * @param places objects of what the record lies in, such as its repository: their own members count as well
 */
export function mapLifecycle(fields: Fields, places: unknown[]): { state: string; removedAt: string | null } {
  const said = [fields.given, ...places.filter(isObject).map(lifecycleOf)].flatMap((given) => [...sayings(given)])
  const what = gravest(said.map((saying) => saying.what)) ?? 'published'
  const unclear = what === 'unclear' && said.find((saying) => saying.what === 'unclear')
  return {
    state: unclear ? unclearState(fields, unclear.given) : what,
    removedAt: what === 'removed' ? (fields.time('removedAt') ?? fields.time('updatedAt')) : null,
  }
}

type Fields = FieldReader<LifecycleField | 'place' | 'updatedAt'>

/** The fields that withdraw a record, and the objects of what it lies in. */
type Sayings = FieldValues<LifecycleField | 'place'>

/** Whether a source says that its record is published: without that, a hidden record stays hidden. */
export const saysPublished = (given: FieldValues<'state'>): boolean =>
  given('state').some(({ value }) => wordSays(value) === 'published')

function unclearState(fields: Fields, { name, value }: GivenValue): string {
  fields.refused.set(
    'state',
    `${name}: must say whether it is published, for instance published, hidden or removed, not ${brief(value)}`,
  )
  const text = name.toLowerCase() === 'state' && typeof value === 'string' ? value.trim().toLowerCase() : null
  return text === null || isRecordState(text) ? `${name}: ${brief(value)}` : shorten(text, 60)
}

function* sayings(given: Sayings): Generator<{ given: GivenValue; what: Said }> {
  yield* saidByRules(given)
  for (const value of given('place')) {
    const members = parsed(value.value)
    if (isObject(members)) {
      yield { given: value, what: placeSays(members) }
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
const memberNames = { ...lifecycleMembers, metadata: [], moderation: [], place: placeMembers }

const lifecycleOf = (members: Record<string, unknown>): Sayings => valuesByComparableName(members, memberNames)

const placeNames: Record<string, readonly string[]> = {
  visibility: ['visibility', 'visibilitylevel', 'access', 'privacy'],
  hidden: ['private', 'isprivate', 'internal', 'isinternal', 'hidden', 'ishidden'],
  shown: ['public', 'ispublic'],
}

/** Whether an object has another one of what it lies in, such as its project, that is not public. */
export const liesInPrivate = (members: object): boolean =>
  Object.entries(members).some(
    ([name, value]) => placeMembers.includes(comparableName(name)) && isObject(value) && placeSays(value) === 'hidden',
  )

/** A place is not public, or says nothing: its other words, such as its status, are those of the place alone. */
function placeSays(members: Record<string, unknown>): Said {
  const said = saidByRules(valuesByComparableName(members, placeNames))
  return said.some(({ what }) => what === 'hidden') ? 'hidden' : null
}

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
  ['level', levelSays],
  ['hidden', (value) => flagSays(value, 'hidden')],
  ['removed', (value) => flagSays(value, 'removed')],
  ['shown', shownSays],
  ['hiddenAt', (value) => timeSays(value, 'hidden')],
  ['removedAt', (value) => timeSays(value, 'removed')],
  ['moderationFlags', listSays],
]

const saidByRules = (given: FieldValues<LifecycleField>): { given: GivenValue; what: Said }[] =>
  rules.flatMap(([field, says]) => given(field).map((value) => ({ given: value, what: says(value.value, value.name) })))
