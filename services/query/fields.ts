import { z } from 'zod'
import { Skill } from '../../shared/records/skill.js'
import { CommaList } from './parameters.js'

/** A skill of which a request may have asked for some fields only. */
export const SkillWithFields = z
  .object({
    id: Skill.shape.id,
    ...Skill.omit({ id: true }).partial().shape,
  })
  .meta({ id: 'SkillWithFields', description: 'A skill: all of its fields, or those that `fields` asked for.' })
export type SkillWithFields = z.infer<typeof SkillWithFields>

/** `fields=`: which fields of each skill are answered with; all of them when it is not given. */
export const FieldList = CommaList(Skill.keyof().options)
  .optional()
  .describe('only these fields of each skill, a comma list; id is always there. Default: all')

/** The fields of a skill that were asked for, and its id, in the documented order. */
export function withFields(skill: Skill, fields: (keyof Skill)[] | undefined): SkillWithFields {
  if (fields === undefined) {
    return skill
  }
  const wanted = new Set<string>(['id', ...fields])
  return { id: skill.id, ...Object.fromEntries(Object.entries(skill).filter(([name]) => wanted.has(name))) }
}
