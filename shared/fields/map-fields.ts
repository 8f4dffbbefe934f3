import type { FieldNames } from '../records/field-names.js'
import type { RecordType } from '../records/records.js'
import { FieldReader } from './field-reader.js'
import type { FieldValues } from './field-values.js'
import { saysPublished } from './map-lifecycle.js'
import { mapOrganization } from './map-organization.js'
import { mapPrompt } from './map-prompt.js'
import { mapSkill } from './map-skill.js'
import type { MappedFields } from './mapped-fields.js'

/** Finds the values of an input by the names of each field. */
export type FindValues = <Field extends string>(names: Record<Field, readonly string[]>) => FieldValues<Field>

/** The fields of a record, and what the reader noted about their values. */
export interface ReadFields extends MappedFields, Pick<FieldReader<string>, 'problems' | 'refused' | 'dropped'> {
  /** Whether the input itself says that the record is published. */
  hasState: boolean
}

/**
 * Reads the fields of a record of any input: of an import, or a document of another application. Never throws; the same
 * input gives the same.
 *
 * @param find finds values as the input names them
 * @param names the names by which it finds them
 * @param key identifies the record where no field does: a document's `_id`; undefined for none
 */
export function mapFields(type: RecordType, find: FindValues, names: FieldNames, key?: unknown): ReadFields {
  switch (type) {
    case 'skills': {
      const fields = new FieldReader(find(names.skills))
      return { ...mapSkill(fields, key), ...notesOf(fields) }
    }
    case 'prompts': {
      const fields = new FieldReader(find(names.prompts))
      return { ...mapPrompt(fields, key), ...notesOf(fields) }
    }
    case 'organizations': {
      const fields = new FieldReader(find(names.organizations))
      return { ...mapOrganization(fields, key), ...notesOf(fields) }
    }
  }
}

const notesOf = (fields: FieldReader<'state'>) => ({
  problems: fields.problems,
  refused: fields.refused,
  dropped: fields.dropped,
  hasState: saysPublished(fields.given),
})
