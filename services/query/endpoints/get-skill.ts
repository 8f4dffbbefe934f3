import { z } from 'zod'
import { Skill, skillId } from '../../../shared/records/skill.js'
import { endpoint, pathWithQuery } from '../endpoint.js'
import { FieldList } from '../fields.js'
import { SkillPath } from '../parameters.js'
import { publishedSkill } from '../published-skill.js'

/** GET /api/skills/:owner/:repo: one skill, by the name it has or once had. */
export const getSkill = endpoint({
  name: 'get-skill',
  path: '/api/skills/:owner/:repo',
  aliases: ['/api/v1/skills/:owner/:repo'],
  summary: 'One skill',
  docs: {
    tag: 'Skills',
    description:
      'By the name that it has, in any case, or once had: a former name is answered with the present address.',
    errors: ['moved', 'skill_unknown', 'skill_removed', 'catalog_unavailable'],
  },
  params: SkillPath,
  query: z.object({ fields: FieldList }),
  response: z.object({ data: Skill }),
  limits: ['default'],
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params, query, given, path }, { catalog }) {
    const id = skillId(params.owner, params.repo)
    // The new address keeps the form of the old one: versioned or not.
    const skill = await publishedSkill(catalog, id, (presentId) =>
      pathWithQuery(`${path.split('/').slice(0, -2).join('/')}/${presentId}`, given),
    )
    return {
      body: { data: skill },
      fields: query.fields,
      links: [{ rel: 'canonical', target: pathWithQuery(`/api/v1/skills/${id}`, given) }],
    }
  },
})
