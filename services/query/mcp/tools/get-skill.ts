import { z } from 'zod'
import type { Skill } from '../../../../shared/records/skill.js'
import { getSkill as endpoint } from '../../endpoints/get-skill.js'
import { SkillId } from '../../skills/skills-by-id.js'
import { toLines } from '../skill-summary.js'
import { tool } from '../tool.js'

/** `get_skill`: GET /api/v1/skills/:owner/:repo. */
export const getSkill = tool({
  name: 'get_skill',
  title: 'Get one skill',
  description:
    'Gives all that the catalog knows about one skill, by its id: the whole description, topics, licence, version, URLs ' +
    'and times. Ids come from search_skills, list_skills and suggest_skills.',
  takes: z.object({ id: SkillId.describe('owner/repo, as in the results of the other tools; any case') }),
  gives: endpoint.response,

  async run([[, id = ''] = ['', '']], ask) {
    const [owner = '', repo = ''] = id.split('/')
    return endpoint.response.parse(await ask(endpoint, { segments: { owner, repo }, querystring: '' }))
  },

  toText: ({ data }) => toText(data),
})

function toText(skill: Skill): string {
  const { topics, homepage, version, forks, createdAt, publishedAt } = skill
  const facts: [string, string | number | null][] = [
    ['Topics', topics.join(', ') || null],
    ['Version', version],
    ['Homepage', homepage],
    ['Forks', forks],
    ['Created', createdAt?.slice(0, 10) ?? null],
    ['Published', publishedAt?.slice(0, 10) ?? null],
  ]
  return [toLines(skill), ...facts.flatMap(([name, value]) => (value === null ? [] : `  ${name}: ${value}`))].join('\n')
}
