import { Skill } from '../../shared/records/skill.js'
import { CommaList } from './parameters.js'

const skillFields: string[] = Skill.keyof().options

/** `fields=`: which fields of each skill are answered with; all of them when it is not given. */
export const FieldList = CommaList(Skill.keyof().options)
  .optional()
  .describe(
    'only these fields of each skill, a comma list; id is always there. Default: all, which is what the schema of the ' +
      'answer describes',
  )

/**
 * A body without the fields of its skills that were not asked for. Their ids stay, and so do members that an endpoint
 * adds to a skill's fields, such as a score.
 *
 * It is applied to the finished body, so that an endpoint's `response`, and with it the OpenAPI document, describes
 * whole skills. One schema for both shapes would make every field optional: every client generated from the document
 * would have to handle missing fields, although only those that send `fields` ever get such answers.
 *
 * @param body its `data` is a skill, or a list of them
 */
export function withFields(body: object, fields: readonly string[]): object {
  const wanted = new Set(['id', ...fields])
  const left = (name: string) => wanted.has(name) || !skillFields.includes(name)
  const reduce = (skill: object) => Object.fromEntries(Object.entries(skill).filter(([name]) => left(name)))
  const { data } = Object(body)
  return { ...body, data: Array.isArray(data) ? data.map(reduce) : reduce(data) }
}
