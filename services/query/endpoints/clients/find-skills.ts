import { z } from 'zod'
import { isOnOtherForge, nameInRepository } from '../../../../shared/fields/repository-pages.js'
import { repositoryEnding } from '../../../../shared/fields/web-address.js'
import { isSkillName } from '../../../../shared/records/fields.js'
import type { Skill } from '../../../../shared/records/skill.js'
import { endpoint } from '../../request/endpoint.js'
import { answerOf, askInProcess } from '../../request/routes.js'
import { searchSkills } from '../search-skills.js'

/** The name of a skill that is its repository: its own if tools can ask for it, else that of the repository. */
const nameOfRepository = ({ name, repo }: Skill): string => (isSkillName(name) ? name : repo)

/**
 * What `npx skills add` takes, with `@` and a name after it: by `owner/repo` it means GitHub. Of a repository of another
 * forge its address, in the form in which the client takes a name after it.
 */
export function sourceOf({ owner, repo, url }: Pick<Skill, 'owner' | 'repo' | 'url'>): string {
  return url !== null && isOnOtherForge(url) ? `${url.replace(repositoryEnding, '')}.git#` : `${owner}/${repo}`
}

/**
 * GET /api/search: the search of skills.sh, as its client asks it: `SKILLS_API_URL=… npx skills find`. The client prints
 * `source@name`, which its command `add` takes.
 */
export const findSkills = endpoint({
  name: 'find-skills',
  path: '/api/search',
  summary: 'The search of the command npx skills find',
  docs: {
    tag: 'Clients',
    description:
      'For `SKILLS_API_URL=… npx skills find` alone, in the shape of skills.sh: programs that you write ask ' +
      '`/api/v1/skills/search`, which answers with whole skills. Parameters that this one does not know are ignored.',
    errors: ['search_unavailable', 'query_timeout'],
  },
  query: z.object({
    q: searchSkills.query.shape.q,
    limit: searchSkills.query.shape.limit,
    owner: searchSkills.query.shape.owner,
  }),
  ignoresUnknown: true,
  response: z.object({
    skills: z.array(
      z.object({
        id: z.string().describe('`owner/repo/skill`'),
        name: z.string().describe('its name among the skills of its repository, as its SKILL.md has it'),
        source: z
          .string()
          .describe('`owner/repo`, as its owner writes it; of a repository of another forge than GitHub its address'),
        installs: z.literal(0).describe('this catalog counts no installs'),
      }),
    ),
  }),
  cache: { maxAgeSeconds: 30, staleWhileRevalidateSeconds: 60 },

  async handle({ query: { q, limit, owner } }, deps) {
    const parameters = { q, limit: String(limit), ...(owner === undefined ? {} : { owner }) }
    const { data } = await answerOf(askInProcess(deps), searchSkills, { parameters })
    const skills = data.map((skill) => {
      const name = nameInRepository(skill) ?? nameOfRepository(skill)
      const id = `${skill.owner}/${skill.repo}/${skill.skill ?? name}`.toLowerCase()
      return { id, name, source: sourceOf(skill), installs: 0 as const }
    })
    return { body: { skills } }
  },
})
