import { z } from 'zod'
import { type Skill, skillSegment } from '../../../../shared/records/skill.js'
import { endpoint } from '../../request/endpoint.js'
import { OneOf, WholeNumber } from '../../request/parameters.js'
import { answerOf, askInProcess } from '../../request/routes.js'
import { searchSkills } from '../search-skills.js'

/** Hits among which one of exactly this name is looked for. */
const hitsForExact = 100

/** Whether the text is the name of the skill, alone or with its repository. */
const isNamed = ({ id, repo, skill }: Skill, text: string): boolean =>
  [skill ?? repo, skillSegment(repo, skill), id].some((name) => name.toLowerCase() === text.trim().toLowerCase())

/** GET /clawhub/api/v1/search: the search of ClawHub, as its client asks it where its registry is this service. */
export const clawhubSearch = endpoint({
  name: 'clawhub-search',
  path: '/clawhub/api/v1/search',
  summary: 'The search of the command clawhub search',
  docs: {
    tag: 'Clients',
    description:
      'For `CLAWHUB_SITE=… clawhub search` alone, in the shape of ClawHub: programs that you write ask ' +
      '`/api/v1/skills/search`. Parameters that this one does not know are ignored.',
    errors: ['search_unavailable', 'query_timeout'],
  },
  query: z.object({
    q: searchSkills.query.shape.q,
    limit: WholeNumber(1, 100).default(25).describe('rows per response, 1 to 100'),
    mode: OneOf(['exact']).optional().describe('exact: only skills of exactly this name'),
  }),
  response: z.object({
    results: z.array(
      z.object({
        slug: z.string().describe('`repo`, or `repo@skill` for one of several'),
        ownerHandle: z.string(),
        displayName: z.string(),
        summary: z.string().nullable(),
        version: z.string().nullable(),
        score: z.number().describe('0 to 1'),
        updatedAt: z.number().optional().describe('epoch milliseconds'),
        owner: z.object({ handle: z.string(), displayName: z.string() }),
        canonicalUrl: z.string().describe('its page'),
      }),
    ),
  }),
  cache: { maxAgeSeconds: 30, staleWhileRevalidateSeconds: 60 },

  async handle({ query: { q, limit, mode }, header, requestId }, deps) {
    const parameters = { q, limit: String(mode === undefined ? limit : hitsForExact) }
    const { data } = await answerOf(askInProcess(deps, requestId), searchSkills, { parameters })
    const found = mode === undefined ? data : data.filter((skill) => isNamed(skill, q)).slice(0, limit)
    const origin = deps.originOf(header)
    const results = found.map(({ id, owner, repo, skill, name, description, version, score, updatedAt }) => ({
      slug: skillSegment(repo, skill),
      ownerHandle: owner,
      displayName: name,
      summary: description,
      version,
      score: score ?? 0,
      ...(updatedAt === null ? {} : { updatedAt: Date.parse(updatedAt) }),
      owner: { handle: owner, displayName: owner },
      canonicalUrl: `${origin}/skills/${id}`,
    }))
    return { body: { results } }
  },
})
