import { z } from 'zod'
import { Skill } from '../../../shared/records/skill.js'
import { shorten } from '../../../shared/text/clean-text.js'
import { endpoint } from '../endpoint.js'
import { WholeNumber } from '../parameters.js'
import { maxQueryLength, QueryText } from '../query-text.js'

/** More than a search box shows at once. */
const maxSuggestions = 10

/** A description is cut to so many characters: a box has a line for it, and some are pages long. */
const maxDescription = 200

/** GET /api/v1/skills/suggest: what is being typed into a search box, completed. */
export const suggestSkills = endpoint({
  name: 'suggest-skills',
  path: '/api/v1/skills/suggest',
  summary: 'Completions for a search box',
  docs: {
    tag: 'Skills',
    description:
      'Ask with what has been typed so far. First the skill that is called just so, then those whose `owner/repo` ' +
      'begins so, then those with all of the words in name or repository, then in the owner too; the last word may be ' +
      'half typed. Of these the most popular first. One typo is forgiven where nothing fits. Descriptions and topics ' +
      'are not looked into, and nothing is syntax.',
    errors: ['search_unavailable'],
  },
  params: z.object({}),
  query: z.object({
    q: QueryText.describe(`what has been typed, 1 to ${maxQueryLength} characters`),
    limit: WholeNumber(1, maxSuggestions)
      .default(maxSuggestions)
      .describe(`skills of one answer, 1 to ${maxSuggestions}`),
  }),
  response: z.object({
    data: z.array(
      Skill.pick({ id: true, owner: true, repo: true, name: true, description: true, stars: true })
        .extend({ description: Skill.shape.description.describe(`at most its first ${maxDescription} characters`) })
        .meta({ id: 'SuggestedSkill', description: 'As much of a skill as a search box shows.' }),
    ),
    query: z.string().describe('what was typed, as it was understood: trimmed, without control characters'),
  }),
  limits: ['default'],
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ query: { q, limit } }, { index }) {
    const skills = await index.suggest(q, limit)
    const data = skills.map((skill) => ({
      ...skill,
      description: skill.description === null ? null : shorten(skill.description, maxDescription),
    }))
    return { body: { data, query: q } }
  },
})
