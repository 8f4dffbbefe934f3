import { Skill, skillOf } from '../../../shared/records/skill.js'
import { CommaList } from './parameters.js'

const skillFields: string[] = Skill.keyof().options

/** `fields=`: the fields of each skill to return; default: all. */
export const FieldList = CommaList(Skill.keyof().options)
  .optional()
  .describe(
    'only these fields of each skill, a comma list; id is always included. Default: all fields, as in the schema of ' +
      'the response',
  )

/**
 * A body with only the requested fields of its skills. Their ids stay, and so do members that an endpoint adds to a
 * skill, such as a score.
 *
 * Applied to the finished body, so that an endpoint's `response`, and with it the OpenAPI document, describes whole
 * skills. A schema of both shapes would make every field optional: every generated client would have to handle missing
 * fields, although only requests with `fields` get such responses.
 *
 * @param body its `data` is a skill, or a list of skills
 */
export function withFields(body: object, fields: readonly string[]): object {
  const { data } = Object(body)
  const reduce = (skill: object) => onlyFields(skill, fields)
  return { ...body, data: Array.isArray(data) ? data.map(reduce) : reduce(data) }
}

/** A skill as JSON: the stored text, neither parsed nor serialized again, unless only some fields are wanted. */
export const skillText = (skill: { record: string }, fields: readonly string[] | undefined): string =>
  fields === undefined ? skill.record : JSON.stringify(onlyFields(skillOf(skill), fields))

/** A skill with its id and these fields, and the members that are no fields of a skill. */
function onlyFields(skill: object, fields: readonly string[]): object {
  const wanted = new Set(['id', ...fields])
  const left = (name: string) => wanted.has(name) || !skillFields.includes(name)
  return Object.fromEntries(Object.entries(skill).filter(([name]) => left(name)))
}
