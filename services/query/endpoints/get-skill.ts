import { z } from 'zod'
import { maxOfRepository } from '../../../shared/ports/skill-reader.js'
import { Skill, skillId } from '../../../shared/records/skill.js'
import { skillText } from '../request/answer.js'
import { endpoint, pathWithQuery } from '../request/endpoint.js'
import { FieldList, SkillPath } from '../request/parameters.js'
import { publishedSkillOrRepository, type SkillOrRepository } from '../skills/published-skill.js'

/** The members of the body about the skills of a repository. */
function listed(named: SkillOrRepository['named']): string {
  if (named === null) {
    return ''
  }
  const skills = named.skills.map(({ id, skill, name, description, path }) => ({ id, skill, name, description, path }))
  return `,${JSON.stringify({ skills, skillsTotal: named.total }).slice(1, -1)}`
}

/** GET /api/skills/:owner/:repo: one skill, by its present or a former name, or a repository with its skills. */
export const getSkill = endpoint({
  name: 'get-skill',
  path: '/api/skills/:owner/:repo',
  aliases: ['/api/v1/skills/:owner/:repo'],
  summary: 'One skill',
  docs: {
    tag: 'Skills',
    description:
      'By its name, in any case. A former name is redirected to the present one.\n\nOf a repository with several skills, ' +
      '`owner/repo` is the repository: its own record where the catalog has one, else one that is made of its skills. ' +
      '`skills` lists them; ask for one with `owner/repo@skill`.',
    errors: ['moved', 'skill_unknown', 'skill_removed', 'catalog_unavailable'],
  },
  params: SkillPath,
  query: z.object({ fields: FieldList }),
  response: z.object({
    data: Skill,
    skills: z
      .array(
        Skill.pick({ id: true, skill: true, name: true, description: true, path: true }).meta({ id: 'NamedSkill' }),
      )
      .optional()
      .describe(
        `only of a repository with skills that have names of their own: the first ${maxOfRepository}, most starred first`,
      ),
    skillsTotal: z.int().optional().describe('only with skills: the number of all of them'),
  }),
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params, query, given, path }, { catalog }) {
    const id = skillId(params.owner, params.repo)
    // The redirect keeps the form of the requested path: with or without the version.
    const { record, named } = await publishedSkillOrRepository(catalog, id, (presentId) =>
      pathWithQuery(`${path.split('/').slice(0, -2).join('/')}/${presentId}`, given),
    )
    return {
      text: `{"data":${skillText({ record }, query.fields)}${listed(named)}}`,
      links: [{ rel: 'canonical', target: pathWithQuery(`/api/v1/skills/${id}`, given) }],
    }
  },
})
