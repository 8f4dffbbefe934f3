import { z } from 'zod'
import { namedSkills, type SkillPlace } from '../../../../shared/fields/web-address.js'
import { skillSegment } from '../../../../shared/records/skill.js'
import { AppError, invalidParameters } from '../../../../shared/runtime/errors.js'
import { shorten } from '../../../../shared/text/clean-text.js'
import { getSkill as endpoint } from '../../endpoints/get-skill.js'
import { suggestSkills } from '../../endpoints/suggest-skills.js'
import type { AskEndpoint } from '../../http/ask-endpoint.js'
import { maxQueryLength } from '../../http/query-text.js'
import { problemError } from '../../problems/errors.js'
import { toLines } from '../skill-summary.js'
import { tool } from '../tool.js'

/** Characters of an id or an address. */
const maxLength = 2_000

/** Characters of the description of each skill of a repository. */
const maxDescription = 100

/** Near ids in an error. */
const maxNear = 3

const form = 'must be an owner and a repository such as acme/pdf-tools. The address of its repository will do, too.'

/** Ids whose names are like a text; none where the index cannot answer. */
async function nearIds(text: string, ask: AskEndpoint): Promise<string[]> {
  const querystring = new URLSearchParams({ q: text.slice(0, maxQueryLength), limit: String(maxNear) }).toString()
  try {
    const { data } = suggestSkills.response.parse(await ask(suggestSkills, { segments: {}, querystring }))
    return data.map(({ id }) => id)
  } catch {
    return []
  }
}

/** The error for an id that no skill has, with ids that may have been meant: of the same name, where the owner is another. */
async function unknownSkill(error: unknown, repo: string, ask: AskEndpoint): Promise<unknown> {
  const isUnknown = error instanceof AppError && error.code === 'skill_unknown'
  const suggestions = isUnknown ? error.extensions['suggestions'] : null
  return isUnknown && !(Array.isArray(suggestions) && suggestions.length > 0)
    ? problemError('skill_unknown', error.message, { extensions: { suggestions: await nearIds(repo, ask) } })
    : error
}

/** `get_skill`: GET /api/v1/skills/:owner/:repo. */
export const getSkill = tool({
  name: 'get_skill',
  title: 'Get one skill',
  description:
    'Gives all that the catalog knows about one skill, by its id or the address of its repository: the whole description, ' +
    'topics, licence, version, URLs and times. Ids come from search_skills, list_skills and suggest_skills.',
  takes: z.object({
    id: z
      .string({ error: 'is required: give an id such as acme/pdf-tools.' })
      .max(maxLength, form)
      .describe(
        'owner/repo or owner/repo@skill, as in the results of the other tools, any case; or an address such as https://github.com/owner/repo',
      ),
  }),
  gives: endpoint.response,

  async run([[, id = ''] = ['', '']], ask) {
    const [first, ...others] = namedSkills(id)
    if (first === undefined) {
      const near = await nearIds(id, ask)
      const similar = near.length === 0 ? '' : ` Similar ids: ${near.join(', ')}`
      throw invalidParameters([{ parameter: 'id', message: `${form}${similar}` }])
    }
    const get = async ({ owner, repo, skill }: SkillPlace) =>
      endpoint.response.parse(
        await ask(endpoint, { segments: { owner, repo: skillSegment(repo, skill) }, querystring: '' }),
      )
    try {
      return await get(first)
    } catch (error) {
      const [other] = others
      if (other !== undefined && error instanceof AppError && error.code === 'skill_unknown') {
        return await get(other)
      }
      throw await unknownSkill(error, first.skill ?? first.repo, ask)
    }
  },

  toText,
})

function toText({ data: skill, skills = [], skillsTotal = 0 }: z.output<typeof endpoint.response>): string {
  const { topics, homepage, version, forks, createdAt, publishedAt } = skill
  const facts: [string, string | number | null][] = [
    ['Topics', topics.join(', ') || null],
    ['Version', version],
    ['Homepage', homepage],
    ['Forks', forks],
    ['Created', createdAt?.slice(0, 10) ?? null],
    ['Published', publishedAt?.slice(0, 10) ?? null],
  ]
  const more = skillsTotal > skills.length ? [`  and ${skillsTotal - skills.length} more`] : []
  return [
    toLines(skill),
    ...facts.flatMap(([name, value]) => (value === null ? [] : `  ${name}: ${value}`)),
    ...(skills.length === 0 ? [] : ['  Its skills; ask for one of them by its id:']),
    ...skills.map((each) => `    ${each.id}: ${shorten(each.description ?? each.name, maxDescription)}`),
    ...more,
  ].join('\n')
}
