import { skillId, skillOf } from '../../../../shared/records/skill.js'
import { endpoint } from '../../request/endpoint.js'
import { SkillPath } from '../../request/parameters.js'
import { publishedSkillOrRepository } from '../../skills/published-skill.js'
import { indexOf, maxConsidered, maxIndexed, SkillsIndex } from '../../skills/whole-skills.js'

/** Below the page of a skill or a repository, as clients look for it when they are given the address of that page. */
const indexPath = '.well-known/agent-skills/index.json'

/** GET /skills/:owner/:repo/.well-known/agent-skills/index.json: what `npx skills add` takes from the address of a page. */
export const repositorySkillsIndex = endpoint({
  name: 'repository-skills-index',
  path: `/skills/:owner/:repo/${indexPath}`,
  summary: 'The skills of one repository, for clients of Agent Skills Discovery',
  docs: {
    tag: 'Clients',
    description:
      'Or one skill, as `owner/repo@skill`. In the form of Agent Skills Discovery 0.2.0, a draft. Of the first ' +
      `${maxConsidered} those whose only file is the SKILL.md that the catalog keeps, most starred first, at most ` +
      `${maxIndexed}; skills with more files are in their repository.`,
    errors: ['moved', 'skill_unknown', 'skill_removed', 'catalog_unavailable'],
  },
  params: SkillPath,
  response: SkillsIndex,
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params }, { catalog }) {
    const id = skillId(params.owner, params.repo)
    const pathOf = (presentId: string) => `/skills/${presentId}/${indexPath}`
    const found = await publishedSkillOrRepository(catalog, id, pathOf, maxConsidered - 1)
    return { body: await indexOf(catalog, [skillOf(found), ...(found.named?.skills ?? [])]) }
  },
})
