import { type FieldValues, valuesByComparableName } from '../../../shared/fields/field-values.js'
import { checkFields, mapFields } from '../../../shared/fields/map-fields.js'
import { contentIn, isSkillMd, type ReadContent, withdrawByText } from '../../../shared/fields/skill-content.js'
import type { StateChange } from '../../../shared/ports/record-writer.js'
import {
  comparableName,
  importNames,
  knownNames,
  lifecycleMembers,
  lifecycleObjects,
  memberOf,
  placeMembers,
} from '../../../shared/records/field-names.js'
import { isRecordState, maxNesting } from '../../../shared/records/fields.js'
import { lifecycleFields } from '../../../shared/records/lifecycle-names.js'
import { type RecordType, recordId, type StoredRecords } from '../../../shared/records/records.js'
import { unwrapRecord } from './envelopes.js'
import { fromGitlab, fromSource } from './skill-in-repository.js'
import { isRecord, type Members } from './source.js'
import { recognizeStranger } from './strangers.js'

const listRemedy =
  ', but a list of values: write each row as an object with the names of its columns, for instance with ' +
  'df.to_json("a.json", orient="records") of pandas'

const textRemedy =
  ', but a text: write it in an object under the name of its field, for instance {"full_name": "acme/kit"}'

/**
 * Parses the JSON text of one record, also in an object around it. Rejects a repeated member, since either value may be
 * meant, and documents of other kinds.
 */
export function parseRecord(text: string): { record: Members } | { reason: string } {
  try {
    const record = parseJson(text)
    if (!isRecord(record)) {
      const remedy = Array.isArray(record) ? listRemedy : typeof record === 'string' ? textRemedy : ''
      return { reason: `is not a JSON object${remedy}` }
    }
    const twice = repeatedMember(text, record)
    if (twice !== null) {
      return { reason: `has ${JSON.stringify(twice)} twice: leave one of them` }
    }
    const stranger = recognizeStranger(record)
    return stranger === null ? { record: fromSource(fromGitlab(unwrapRecord(record))) } : { reason: stranger }
  } catch (error) {
    return {
      reason: /^\s*\{\s*'/.test(text)
        ? 'is an object as Python prints it, and no JSON: write it with json.dumps'
        : /:\s*(?:new )?(?:ObjectId|ISODate|NumberLong|Long)\(/.test(text)
          ? 'is a document as mongosh prints it, and no JSON: write it with mongoexport'
          : `is not valid JSON: ${error instanceof Error ? error.message : error}`,
    }
  }
}

/** JSON text with NaN or Infinity, as Python writes it from a data frame: they become null. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) {
      throw error
    }
    return JSON.parse(
      text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (part) => (part.startsWith('"') ? part : 'null')),
    )
  }
}

/**
 * The first repeated member of an object, in JSON text that is known to be valid; null: no member is repeated.
 * JSON.parse would keep the last of the two, but either may be meant. Checks only the outermost object: it has the
 * fields.
 *
 * @param record the same, parsed: it has each name once
 */
export function repeatedMember(json: string, record: object): string | null {
  const names: string[] = []
  let depth = 0
  let text = ''
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g)) {
    if (token === '{' || token === '[') {
      depth += 1
    } else if (token === '}' || token === ']') {
      depth -= 1
    } else if (token !== ':') {
      text = token
    } else if (depth === 1) {
      names.push(text)
    }
  }
  if (names.length === Object.keys(record).length) {
    return null
  }
  const known = new Set<string>()
  const parsed = names.map((name) => String(JSON.parse(name)))
  return parsed.find((name) => known.size === known.add(name).size) ?? null
}

/** The maximum length of the JSON text of other members that is stored with a record. */
const maxCharacters = 4_096

/** Names that any store accepts: no operators, no paths, no `__proto__`. */
const plainName = /^(?!__)[A-Za-z][\w-]{0,63}$/

/**
 * The other members of a source's record, which are stored with it and never published. Members with a known name are
 * left out, so that none can override a field of the catalog, and so are those that exceed the limit, in their order.
 *
 * @param known the comparable names that have a meaning
 */
export function keepExtras(record: Members, known: ReadonlySet<string>): Members {
  const extras: Members = {}
  let room = maxCharacters
  for (const [name, value] of Object.entries(record)) {
    if (
      value === null ||
      value === undefined ||
      value === '' ||
      !plainName.test(name) ||
      known.has(comparableName(name))
    ) {
      continue
    }
    const text = JSON.stringify(mayWithdraw.has(comparableName(name)) ? withoutLifecycle(value) : value) ?? ''
    const size = name.length + text.length + 4
    if (text !== '' && size <= room) {
      // Parsed from its text, so that only JSON values are stored.
      extras[name] = JSON.parse(text)
      room -= size
    }
  }
  return extras
}

const mayWithdraw: ReadonlySet<string> = new Set([...lifecycleObjects, ...placeMembers])

const lifecycle: ReadonlySet<string> = new Set(Object.values(lifecycleMembers).flat())

/** A stored record has its state instead, which an operator may change. */
function withoutLifecycle(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return value
  }
  const members = Object.entries(value).filter(([name]) => !lifecycle.has(comparableName(name)))
  return Object.fromEntries(members.map(([name, member]) => [name, withoutLifecycle(member)]))
}

/** A record of a source as the catalog stores it. */
export interface AcceptedRecord<T extends RecordType> {
  record: StoredRecords[T]
  id: string
  /** See `MappedFields`. */
  titleId?: string | undefined
  /** False when the source has no state; the record is then published. */
  hasState: boolean
  /** Values that were left out, each with its name and the reason. */
  dropped: string[]
  /** The text and files of a skill; absent: the source has none. */
  content?: ReadContent
  /** Whether its source has the public fields only, as a row of an export: what else is stored of it stays. */
  isPublicOnly?: true
  /** Set where the source has only an identity and a state: nothing else of a stored record is to change. */
  change?: StateChange
}

/** The same, or the reason of a record's rejection. */
export type MappedRecord<T extends RecordType> =
  | AcceptedRecord<T>
  | {
      /** The id of the rejected record; null when the source has none. */
      id: string | null
      titleId?: string | undefined
      /** All faults of the record. */
      reason: string
      /** See `AcceptedRecord`: it is no record by itself, but may change a stored one. */
      change?: StateChange
    }

/**
 * Maps a record of a source to one as the catalog stores it. Values that their fields cannot have are dropped; a record
 * is rejected when it lacks what every record has, or when it is unclear whether it may be published. Never throws;
 * deterministic.
 */
export function mapRecord<T extends RecordType>(type: T, source: Members): MappedRecord<T> {
  if (isDeeperThan(maxNesting, source)) {
    return { id: null, reason: `is nested deeper than ${maxNesting} levels, or contains itself` }
  }
  const names: Record<string, readonly string[]> = importNames[type]
  const given = valuesByComparableName(type === 'prompts' ? withMembersIn(source) : source, names)
  const read = mapFields(type, given)
  const { id, titleId, fields, problems, refused, dropped, hasState } = read
  const change = id === null ? undefined : stateChangeOf(type, given, id, fields, hasState)
  const text = type === 'skills' ? withdrawByText(fields, refused, source, isSkillMd) : null
  const checked = checkFields(type, read)
  if ('reason' in checked) {
    return { id, titleId, ...checked, ...(problems.length === 0 && change && { change }) }
  }
  const { content, dropped: notKept } = type === 'skills' ? contentIn(given) : { content: null, dropped: [] }
  const extras = keepExtras(source, knownNames[type])
  if (text !== null) {
    // Stored with the record, it would withdraw that for good.
    delete extras[text]
  }
  const record = Object.assign(checked.record, extras, content && { digest: content.digest })
  return {
    record,
    id: recordId(type, record),
    titleId,
    hasState,
    dropped: [...dropped, ...notKept],
    ...(content && { content }),
    ...(change && { change }),
  }
}

/** Objects in which some services have the title or the text of a prompt. */
const promptObjects = ['meta', 'metadata', 'config']

/** A prompt with what it lacks and such an object in it has. */
function withMembersIn(prompt: Members): Members {
  const inner = promptObjects.map((name) => memberOf(prompt, [name])).filter(isRecord)
  if (inner.length === 0) {
    return prompt
  }
  const lacked = (['title', 'description', 'content', 'topics'] as const).flatMap((field) => {
    const names = importNames.prompts[field]
    const value = inner.map((members) => memberOf(members, names)).find((each) => each !== undefined)
    return value === undefined || memberOf(prompt, names) !== undefined ? [] : [[field, value]]
  })
  return { ...prompt, ...Object.fromEntries(lacked) }
}

/** The fields that say which record it is, and when it was written. */
const identityFields: Record<RecordType, readonly string[]> = {
  skills: ['owner', 'repo', 'fullName', 'identity', 'source', 'url', 'skill', 'path', 'updatedAt'],
  prompts: ['id', 'updatedAt'],
  organizations: ['login', 'updatedAt'],
}

/** The change of a record's state, of a source that has only an identity and a state. */
function stateChangeOf(
  type: RecordType,
  given: FieldValues<string>,
  id: string,
  fields: Members,
  hasState: boolean,
): StateChange | undefined {
  const { state, removedAt } = fields
  if (typeof state !== 'string' || !isRecordState(state) || (state === 'published' && !hasState)) {
    return undefined
  }
  const states: readonly string[] = lifecycleFields
  const isOnly = Object.keys(importNames[type]).every(
    (field) =>
      states.includes(field) ||
      identityFields[type].includes(field) ||
      isNothing(fields[field]) ||
      given(field).length === 0,
  )
  return isOnly ? { id, state, removedAt: typeof removedAt === 'string' ? removedAt : null } : undefined
}

/** Whether a field has no value: what its source has there was a word for none, or could not be read. */
const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/** Whether lists and objects are nested deeper than `levels`, as in an object that contains itself. */
function isDeeperThan(levels: number, value: unknown): boolean {
  return (
    value !== null &&
    typeof value === 'object' &&
    (levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member)))
  )
}
