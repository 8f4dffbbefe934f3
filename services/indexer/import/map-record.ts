import { type RecordType, recordId, type StoredRecords, storedSchemas } from '../../../shared/records/records.js'
import { inText } from '../../../shared/text/in-text.js'
import { knownNames, readNames } from './field-names.js'
import { FieldReader } from './field-reader.js'
import { keepExtras } from './keep-extras.js'
import { mapOrganization } from './map-organization.js'
import { mapPrompt } from './map-prompt.js'
import { mapSkill } from './map-skill.js'
import { maxNesting } from './source.js'

/** A source's record in our shape, or why it is none. */
export type MappedRecord<T extends RecordType> =
  | {
      record: StoredRecords[T]
      id: string
      /** False when the source does not say whether it is to be seen; it is taken to be published then. */
      stateTold: boolean
      /** What was left out of it and why, each with the name of the value. */
      dropped: string[]
    }
  | {
      /** Which record it would have been; null when it does not tell. */
      id: string | null
      /** Everything that is wrong with it. */
      reason: string
    }

/** Turns a record as its source has it into one as the catalog stores it. Never throws; the same input gives the same. */
export function mapRecord<T extends RecordType>(type: T, source: Record<string, unknown>): MappedRecord<T> {
  if (isDeeperThan(maxNesting, source)) {
    return { id: null, reason: `is nested deeper than ${maxNesting} levels, or contains itself` }
  }
  const { mapped, problems, refused, dropped, stateTold } = mapFields(type, source)
  if (mapped === null) {
    return { id: null, reason: problems.join('; ') }
  }
  const parsed = storedSchemas[type].safeParse(mapped)
  const id = inText(mapped['login'] ?? mapped['id'])
  if (parsed.success && problems.length === 0) {
    const record = Object.assign(parsed.data, keepExtras(source, knownNames[type])) as StoredRecords[T]
    return { record, id: recordId(type, record), stateTold, dropped }
  }
  const issues = (parsed.error?.issues ?? [])
    .filter(({ path }) => !refused.has(String(path[0])))
    // Mapped fields have their types, so that a wrong one can only be an absent value.
    .map(({ path, code, message }) => `${path.join('.')}: ${code === 'invalid_type' ? 'is missing' : message}`)
  return { id, reason: [...problems, ...issues].join('; ') }
}

/** Whether lists and objects are in each other more than `levels` times; an object that contains itself is endless. */
function isDeeperThan(levels: number, value: unknown): boolean {
  return (
    value !== null &&
    typeof value === 'object' &&
    (levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member)))
  )
}

function mapFields(type: RecordType, source: Record<string, unknown>) {
  switch (type) {
    case 'skills': {
      const fields = new FieldReader(source, readNames.skills)
      return outcome(mapSkill(fields), fields)
    }
    case 'prompts': {
      const fields = new FieldReader(source, readNames.prompts)
      return outcome(mapPrompt(fields), fields)
    }
    case 'organizations': {
      const fields = new FieldReader(source, readNames.organizations)
      return outcome(mapOrganization(fields), fields)
    }
  }
}

const outcome = (mapped: Record<string, unknown> | null, fields: FieldReader<'state'>) => ({
  mapped,
  problems: fields.problems,
  refused: fields.refused as ReadonlySet<string>,
  dropped: fields.dropped,
  stateTold: fields.first('state') !== undefined,
})
