import { z } from 'zod'
import { skillOf } from '../../../../shared/records/skill.js'
import { endpoint } from '../../http/endpoint.js'
import { indexOf, maxConsidered, maxIndexed, SkillsIndex } from '../../skills/whole-skills.js'

/** GET /.well-known/agent-skills/index.json: the newest skills that clients can take from this catalog. */
export const skillsIndex = endpoint({
  name: 'skills-index',
  path: '/.well-known/agent-skills/index.json',
  summary: 'The newest skills, for clients of Agent Skills Discovery',
  docs: {
    tag: 'Clients',
    description:
      'In the form of Agent Skills Discovery 0.2.0, a draft. Of the ' +
      `${maxConsidered} skills that were updated last those whose only file is the SKILL.md that the catalog keeps, at most ` +
      `${maxIndexed}, each name once.`,
    errors: ['catalog_unavailable', 'query_timeout'],
  },
  params: z.object({}),
  query: z.object({}),
  response: SkillsIndex,
  limits: ['default'],
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle(_, { catalog }) {
    const newest = { filters: {}, sort: 'updated', order: 'desc', limit: maxConsidered } as const
    const { skills } = await catalog.listSkills(newest)
    return { body: await indexOf(catalog, skills.map(skillOf)) }
  },
})
