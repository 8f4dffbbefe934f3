import { skillId, skillOf } from '../../../../shared/records/skill.js'
import { endpoint } from '../../request/endpoint.js'
import { SkillPath } from '../../request/parameters.js'
import { problemError } from '../../request/problems.js'
import { latestSkills } from '../../skills/latest-skills.js'
import { indexOf, maxConsidered, maxIndexed, SkillsIndex } from '../../skills/whole-skills.js'
import { publishedSkillOrRepository } from '../get-skill.js'

/** Skills that are listed: few, since clients that are asked to take all of them do. */
const maxNewest = 20

/** The header that `npx skills update` sends when it checks for updates. */
const updateCheck = 'X-Skills-Update-Check'

/** GET /.well-known/agent-skills/index.json: the newest skills that clients can take from this catalog. */
export const skillsIndex = endpoint({
  name: 'skills-index',
  path: '/.well-known/agent-skills/index.json',
  summary: 'The newest skills, for clients of Agent Skills Discovery',
  docs: {
    tag: 'Clients',
    description:
      'In the form of Agent Skills Discovery 0.2.0, a draft. Of the ' +
      `${maxConsidered} skills that were added or updated last those whose only file is the SKILL.md that the catalog keeps, at most ` +
      `${maxNewest}, each name once. A check for updates is not answered, see \`skills_index_partial\`.`,
    errors: ['skills_index_partial', 'catalog_unavailable', 'query_timeout'],
  },
  response: SkillsIndex,
  // The answer depends on a header that no other one does.
  cache: null,

  async handle({ header }, deps) {
    if (header(updateCheck) !== '') {
      // What is not among the newest would be taken for deleted.
      throw problemError(
        'skills_index_partial',
        'This index has the newest skills only, and does not say what has become of others: take skills by the address ' +
          'of their page, whose index is checked for updates, or send the lock file by POST to /api/v1/resolve.',
      )
    }
    // A skill without a digest has no text.
    const newest = await latestSkills(deps, maxConsidered, ({ digest }) => digest !== null)
    return { body: await indexOf(deps.catalog, newest, maxNewest) }
  },
})

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
