import { z } from 'zod'
import { Skill, skillOf } from '../../../shared/records/skill.js'
import { CommaList } from './parameters.js'

const skillFields: string[] = Skill.keyof().options

/** `fields=`: the fields of each skill to return; default: all. */
export const FieldList = CommaList(Skill.keyof().options).describe(
  'only these fields of each skill, a comma list; id is always included. Default: all fields',
)

/**
 * A body with only the requested fields of its skills. Their ids stay, and so do members that an endpoint adds to a
 * skill, such as a score.
 *
 * Applied to the finished body: an endpoint's `response` describes whole skills.
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

/**
 * The schema of both answers, with `fields` and without: all fields of the skills but `id` may be missing. A union of two
 * shapes would say more, but many generated clients could not read it.
 *
 * @param response its `data` is a skill, or a list of skills, perhaps with members of the endpoint's own
 */
export function answerWithFields(response: z.ZodObject): z.ZodObject {
  const { data } = response.shape
  return response.extend({ data: data instanceof z.ZodArray ? z.array(selected(data.element)) : selected(data) })
}

/** A named schema of the document is one object, also where several paths have it. */
const selections = new WeakMap<z.ZodObject, z.ZodObject>()

function selected(skill: unknown): z.ZodType {
  if (!(skill instanceof z.ZodObject)) {
    throw new Error('fields select from a skill, or from a list of skills')
  }
  const members = Object.entries(skill.shape as z.ZodRawShape).map(([name, member]): [string, z.core.$ZodType] => [
    name,
    name !== 'id' && skillFields.includes(name) ? z.optional(member) : member,
  ])
  const { id } = skill.meta() ?? {}
  // A whole skill is a part of other answers.
  const named = id === 'Skill' ? 'SelectedSkill' : id
  const schema =
    selections.get(skill) ??
    z
      .object(Object.fromEntries(members))
      .meta({ id: named, description: 'Without `fields`, no member of a skill is missing.' })
  selections.set(skill, schema)
  return schema
}
