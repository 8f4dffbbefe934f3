import { type FieldValues, valuesByComparableName } from '../../../shared/fields/field-values.js'
import { mapFields } from '../../../shared/fields/map-fields.js'
import { contentIn, type ReadContent } from '../../../shared/fields/skill-content.js'
import type { StateChange } from '../../../shared/ports/record-writer.js'
import { importNames, knownNames, lifecycleFields } from '../../../shared/records/field-names.js'
import { isRecordState } from '../../../shared/records/fields.js'
import { type RecordType, recordId, type StoredRecords, storedSchemas } from '../../../shared/records/records.js'
import { keepExtras } from './keep-extras.js'
import { maxNesting } from './source.js'

/** A record of a source as the catalog stores it. */
export interface AcceptedRecord<T extends RecordType> {
  record: StoredRecords[T]
  id: string
  /** See `MappedFields`. */
  titleId?: string
  /** False when the source has no state; the record is then published. */
  hasState: boolean
  /** Values that were left out, each with its name and the reason. */
  dropped: string[]
  /** The text and files of a skill; absent: the source has none. */
  content?: ReadContent
  /** Set where the source has only an identity and a state: nothing else of a stored record is to change. */
  change?: StateChange
}

/** The same, or the reason of a record's rejection. */
export type MappedRecord<T extends RecordType> =
  | AcceptedRecord<T>
  | {
      /** The id of the rejected record; null when the source has none. */
      id: string | null
      titleId?: string
      /** All faults of the record. */
      reason: string
      /** As above: it is no record by itself, but may change a stored one. */
      change?: StateChange
    }

/**
 * Maps a record of a source to one as the catalog stores it. Values that their fields cannot have are dropped; a record
 * is rejected when it lacks what every record has, or when it is unclear whether it may be published. Never throws;
 * deterministic.
 */
export function mapRecord<T extends RecordType>(type: T, source: Record<string, unknown>): MappedRecord<T> {
  if (isDeeperThan(maxNesting, source)) {
    return { id: null, reason: `is nested deeper than ${maxNesting} levels, or contains itself` }
  }
  const names: Record<string, readonly string[]> = importNames[type]
  const given = valuesByComparableName(source, names)
  const { id, titleId, fields, problems, refused, dropped, hasState } = mapFields(type, () => given, importNames)
  if (id === null && titleId === undefined) {
    return { id, reason: problems.join('; ') }
  }
  const title = titleId === undefined ? {} : { titleId }
  const change = id === null ? {} : stateChangeOf(type, given, id, fields, hasState)
  const parsed = storedSchemas[type].safeParse(fields)
  if (parsed.success && problems.length === 0) {
    const { content, dropped: notKept } = type === 'skills' ? contentIn(given) : { content: null, dropped: [] }
    const extras = keepExtras(source, knownNames[type])
    const record = Object.assign(parsed.data, extras, content && { digest: content.digest }) as StoredRecords[T]
    return {
      record,
      id: recordId(type, record),
      ...title,
      hasState,
      dropped: [...dropped, ...notKept],
      ...(content && { content }),
      ...change,
    }
  }
  const issues = (parsed.error?.issues ?? [])
    .filter(({ path }) => !(id === null && path[0] === 'id'))
    .map(
      ({ path, code, message }) =>
        refused.get(String(path[0])) ??
        // Mapped fields have their types, so that an invalid type can only be an absent value.
        `${path.join('.')}: ${code === 'invalid_type' ? 'is missing' : message}`,
    )
  return { id, ...title, reason: [...problems, ...issues].join('; '), ...(problems.length === 0 ? change : {}) }
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
  fields: Record<string, unknown>,
  hasState: boolean,
): { change?: StateChange } {
  const { state, removedAt } = fields
  if (typeof state !== 'string' || !isRecordState(state) || (state === 'published' && !hasState)) {
    return {}
  }
  const states: readonly string[] = lifecycleFields
  const isOnly = Object.keys(importNames[type]).every(
    (field) =>
      states.includes(field) ||
      identityFields[type].includes(field) ||
      isNothing(fields[field]) ||
      given(field).length === 0,
  )
  return isOnly ? { change: { id, state, removedAt: typeof removedAt === 'string' ? removedAt : null } } : {}
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
