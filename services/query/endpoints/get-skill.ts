import { z } from 'zod'
import { Skill, skillId } from '../../../shared/records/skill.js'
import { endpoint, pathWithQuery } from '../http/endpoint.js'
import { FieldList, skillText } from '../http/fields.js'
import { SkillPath } from '../http/parameters.js'
import { publishedSkill } from '../skills/published-skill.js'

/** GET /api/skills/:owner/:repo: one skill, by its present or a former name. */
export const getSkill = endpoint({
  name: 'get-skill',
  path: '/api/skills/:owner/:repo',
  aliases: ['/api/v1/skills/:owner/:repo'],
  summary: 'One skill',
  docs: {
    tag: 'Skills',
    description: 'By its name, in any case. A former name is redirected to the present one.',
    errors: ['moved', 'skill_unknown', 'skill_removed', 'catalog_unavailable'],
  },
  params: SkillPath,
  query: z.object({ fields: FieldList }),
  response: z.object({ data: Skill }),
  limits: ['default'],
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params, query, given, path }, { catalog }) {
    const id = skillId(params.owner, params.repo)
    // The redirect keeps the form of the requested path: with or without the version.
    const skill = await publishedSkill(catalog, id, (presentId) =>
      pathWithQuery(`${path.split('/').slice(0, -2).join('/')}/${presentId}`, given),
    )
    return {
      text: `{"data":${skillText(skill, query.fields)}}`,
      links: [{ rel: 'canonical', target: pathWithQuery(`/api/v1/skills/${id}`, given) }],
    }
  },
})
