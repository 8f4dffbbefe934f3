import { z } from 'zod'
import { skillId } from '../../../shared/records/skill.js'
import { dateOfDay, dayOf, gainsUntil, StarGains } from '../../../shared/records/stats.js'
import { endpoint, pathWithQuery } from '../request/endpoint.js'
import { SkillPath } from '../request/parameters.js'
import { publishedSkill } from '../skills/published-skill.js'

/** GET /api/skills/:owner/:repo/history: how the stars of a skill grew. */
export const skillHistory = endpoint({
  name: 'skill-history',
  path: '/api/skills/:owner/:repo/history',
  aliases: ['/api/v1/skills/:owner/:repo/history'],
  summary: 'The stars of one skill by day',
  docs: {
    tag: 'Skills',
    description:
      'A row for each day on which the number changed, the oldest first: between two rows it stayed the same. The first ' +
      'row is the number at which recording began, or that of a year ago. Recorded every hour.',
    errors: ['moved', 'skill_unknown', 'skill_removed', 'catalog_unavailable'],
  },
  params: SkillPath,
  response: z.object({
    data: z.object({
      id: z.string().describe('the id of the skill'),
      days: z.array(
        z.object({
          date: z.iso.date().describe('the day, UTC'),
          stars: z.int().describe('the stars at its end, or until now'),
        }),
      ),
      starsGained: StarGains,
    }),
  }),
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ params, given, path }, { catalog, clock }) {
    const id = skillId(params.owner, params.repo)
    const prefix = path.split('/').slice(0, -3).join('/')
    await publishedSkill(catalog, id, (presentId) => `${prefix}/${presentId}/history`)
    const [{ days } = { days: [] }] = await catalog.readHistories([id])
    return {
      body: {
        data: {
          id,
          days: days.map(([day, stars]) => ({ date: dateOfDay(day), stars })),
          starsGained: gainsUntil(days, dayOf(new Date(clock()))),
        },
      },
      links: [{ rel: 'canonical', target: pathWithQuery(`/api/v1/skills/${id}/history`, given) }],
    }
  },
})
