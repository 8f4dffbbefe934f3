import { z } from 'zod'
import { SkillSchema } from '../../../shared/records/schemas.js'
import { shorten } from '../../../shared/text/clean-text.js'
import { endpoint } from '../request/endpoint.js'
import { maxTypedLength, TypedText, WholeNumber } from '../request/parameters.js'

/** More suggestions than a search box shows at once. */
const maxSuggestions = 10

/** Characters of a description: a search box shows one line of it, and some are pages long. */
const maxDescription = 200

/** GET /api/v1/skills/suggest: completions of the text in a search box. */
export const suggestSkills = endpoint({
  name: 'suggest-skills',
  path: '/api/v1/skills/suggest',
  summary: 'Completions for a search box',
  docs: {
    tag: 'Skills',
    description:
      'Send the text typed so far. First the skill of exactly this name, then skills whose `owner/repo` begins with it, ' +
      'then skills with all of the words in name or repository, then in the owner too; the last word may be incomplete. ' +
      'When no name has them, skills follow that a search finds with all words. There is no search syntax.',
    errors: ['search_unavailable'],
  },
  query: z.object({
    q: TypedText.describe(`the text typed so far, 1 to ${maxTypedLength} characters`),
    limit: WholeNumber(1, maxSuggestions)
      .default(maxSuggestions)
      .describe(`skills per response, 1 to ${maxSuggestions}`),
  }),
  response: z.object({
    data: z.array(
      SkillSchema.pick({ id: true, owner: true, repo: true, name: true, description: true, stars: true })
        .extend({
          description: SkillSchema.shape.description.describe(`at most its first ${maxDescription} characters`),
        })
        .meta({ id: 'SuggestedSkill', description: 'The fields of a skill for a search box.' }),
    ),
    query: z.string().describe('the text, trimmed and without control characters'),
  }),
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ query: { q, limit } }, { index }) {
    const skills = await index.suggest(q, limit)
    const data = skills.map(({ id, owner, repo, name, description, stars }) => ({
      id,
      owner,
      repo,
      name,
      description: description === null ? null : shorten(description, maxDescription),
      stars,
    }))
    return { body: { data, query: q } }
  },
})
