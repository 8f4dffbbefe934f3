import { z } from 'zod'
import { Skill } from '../../../shared/records/skill.js'
import type { StarGains } from '../../../shared/records/stats.js'
import { cleanLine, shorten } from '../../../shared/text/clean-text.js'
import { formatCount, formatNumber } from '../../../shared/text/format-numbers.js'
import { filterParameters, WholeNumber } from '../request/parameters.js'

/** Skills in the result of a tool. A model reads all of them: more would displace what it is working on. */
const maxSkills = 25

/** Characters of a description in a list; `get_skill` gives all of it. */
const maxDescription = 300

/** `limit` of tools that list skills. */
export const ToolLimit = WholeNumber(1, maxSkills)
  .default(10)
  .describe(`skills to return, 1 to ${maxSkills}; default 10`)

/** The filters of tools that list skills. */
export const toolFilters = {
  ...filterParameters,
  topic: filterParameters.topic.describe('skills with all of these topics'),
}

/** The fields of a skill in the result of a tool that lists skills. */
export const SkillSummary = Skill.pick({
  id: true,
  name: true,
  description: true,
  topics: true,
  license: true,
  language: true,
  url: true,
  stars: true,
  archived: true,
  updatedAt: true,
})
  .extend({ description: Skill.shape.description.describe(`at most its first ${maxDescription} characters`) })
  .meta({ id: 'SkillSummary', description: 'The fields of a skill that help to choose one; get_skill gives all.' })
export type SkillSummary = z.output<typeof SkillSummary>

/** Skills with short descriptions, from a response with whole ones. */
export const Shortened = z.array(z.looseObject({ description: z.string().nullable() })).transform((skills) =>
  skills.map((skill) => ({
    ...skill,
    description: skill.description === null ? null : shorten(skill.description, maxDescription),
  })),
)

/** Adds the `limit` of a tool's own to parameters without one: the endpoint's default is another. */
export const withLimit = (parameters: [string, string][]): [string, string][] =>
  parameters.some(([name]) => name === 'limit') ? parameters : [...parameters, ['limit', '10']]

/** A skill in lines: what it is called, its facts and its URL; its description; where a search found it, the passage of its text. */
export function toLines(
  skill: Pick<SkillSummary, 'id' | 'name' | 'description' | 'stars'> &
    Partial<SkillSummary> & {
      starsGained?: StarGains | undefined
      others?: number | undefined
      passage?: string | null
    },
): string {
  const { id, name, description, stars, license, language, updatedAt, archived, url, starsGained, others, passage } =
    skill
  const facts = [
    stars === null ? 'stars unknown' : formatCount(stars, 'stars'),
    ...(starsGained === undefined ? [] : [`${starsGained.days7} more in 7 days, ${starsGained.days30} in 30`]),
    ...(license === undefined ? [] : [license ?? 'licence unknown']),
    ...(language ? [language] : []),
    ...(updatedAt ? [`updated ${updatedAt.slice(0, 10)}`] : []),
    ...(archived ? ['archived'] : []),
    ...(others ? [`${formatNumber(others)} more in this repository`] : []),
  ]
  const line = `- ${id}: ${name} (${facts.join(', ')})${url ? ` ${url}` : ''}`
  const text = cleanLine(description ?? '')
  return [line, ...(text === null ? [] : [`  ${text}`]), ...(passage ? [`  In its SKILL.md: ${passage}`] : [])].join(
    '\n',
  )
}
