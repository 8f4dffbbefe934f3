import { z } from 'zod'
import { Skill, skillId, skillOf, toPublicSkill } from '../../../shared/records/skill.js'
import { endpoint, pathWithQuery } from '../request/endpoint.js'
import { FieldList, SkillPath, WholeNumber } from '../request/parameters.js'
import { publishedSkill } from '../skills/published-skill.js'

/** Skills per response. */
const maxRelated = 50

/** GET /api/skills/:owner/:repo/related: the skills nearest in meaning to one. */
export const relatedSkills = endpoint({
  name: 'related-skills',
  path: '/api/skills/:owner/:repo/related',
  aliases: ['/api/v1/skills/:owner/:repo/related'],
  summary: 'Skills like this one',
  docs: {
    tag: 'Skills',
    description:
      'The skills whose name, description and topics are nearest in meaning, the nearest first. Of skills with the same ' +
      'text, such as forks, only the most starred is listed. Empty where the catalog runs without an embedder.',
    errors: ['moved', 'skill_unknown', 'skill_removed', 'catalog_unavailable', 'search_unavailable'],
  },
  params: SkillPath,
  query: z.object({
    limit: WholeNumber(1, maxRelated).default(10).describe(`skills per response, 1 to ${maxRelated}`),
    fields: FieldList,
  }),
  response: z.object({
    data: z.array(
      Skill.extend({
        similarity: z.number().describe('the cosine between the meanings of both, rounded; 1: the same'),
      }).meta({ id: 'RelatedSkill' }),
    ),
  }),
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ params, query, given, path }, { catalog, index }) {
    const id = skillId(params.owner, params.repo)
    const segments = path.split('/')
    await publishedSkill(catalog, id, (presentId) =>
      pathWithQuery(`${segments.slice(0, -3).join('/')}/${presentId}/related`, given),
    )
    const related = await index.related(id, query.limit)
    const data = related.map((each) => ({
      ...toPublicSkill(skillOf(each)),
      similarity: Math.round(each.similarity * 1_000) / 1_000,
    }))
    return {
      body: { data },
      fields: query.fields,
      links: [{ rel: 'canonical', target: pathWithQuery(`/api/v1/skills/${id}/related`, given) }],
    }
  },
})
