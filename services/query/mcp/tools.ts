import { z } from 'zod'
import { SkillSchema } from '../../../shared/records/schemas.js'
import type { StarGains } from '../../../shared/records/stats.js'
import { cleanLine, shorten } from '../../../shared/text/clean-text.js'
import { formatCount, formatNumber } from '../../../shared/text/format-numbers.js'
import { listSkills } from '../endpoints/list-skills.js'
import { reach, searchSkills } from '../endpoints/search-skills.js'
import { stats } from '../endpoints/stats.js'
import { suggestSkills } from '../endpoints/suggest-skills.js'
import { filterParameters, WholeNumber, whenValid } from '../request/parameters.js'
import { answerOf } from '../request/routes.js'
import { type Parameters, tool } from './tool.js'

/** Skills in the result of a tool. A model reads all of them: more would displace what it is working on. */
export const maxSkills = 25

/** Characters of a description in a list; `get_skill` gives all of it. */
const maxDescription = 300

const ToolLimit = WholeNumber(1, maxSkills).default(10).describe(`skills to return, 1 to ${maxSkills}; default 10`)

const toolFilters = {
  ...filterParameters,
  topic: filterParameters.topic.describe('skills with all of these topics'),
}

/** The fields of a skill in the result of a tool that lists skills. */
const SkillSummary = SkillSchema.pick({
  id: true,
  name: true,
  description: true,
  topics: true,
  license: true,
  language: true,
  url: true,
  stars: true,
  archived: true,
  updatedAt: true,
})
  .extend({ description: SkillSchema.shape.description.describe(`at most its first ${maxDescription} characters`) })
  .meta({ id: 'SkillSummary', description: 'The fields of a skill that help to choose one; get_skill gives all.' })
type SkillSummary = z.output<typeof SkillSummary>

/** Skills with short descriptions, from a response with whole ones. */
const Shortened = z.array(z.looseObject({ description: z.string().nullable() })).transform((skills) =>
  skills.map((skill) => ({
    ...skill,
    description: skill.description === null ? null : shorten(skill.description, maxDescription),
  })),
)

/** Parameters as in a URL, with the `limit` of a tool's own where they have none: the endpoint's default is another. */
function withLimit(parameters: Parameters): string {
  const query = new URLSearchParams(parameters)
  if (!query.has('limit')) {
    query.append('limit', '10')
  }
  return String(query)
}

/** A skill in lines: what it is called, its facts and its URL; its description; where a search found it, the passage of its text. */
export function toLines(
  skill: Pick<SkillSummary, 'id' | 'name' | 'description' | 'stars'> &
    Partial<SkillSummary> & {
      starsGained?: StarGains | undefined
      others?: number | undefined
      passage?: string | null
    },
): string {
  const { id, name, description, stars, license, language, updatedAt, archived, url, starsGained, others, passage } =
    skill
  const facts = [
    stars === null ? 'stars unknown' : formatCount(stars, 'stars'),
    ...(starsGained === undefined ? [] : [`${starsGained.days7} more in 7 days, ${starsGained.days30} in 30`]),
    ...(license === undefined ? [] : [license ?? 'licence unknown']),
    ...(language ? [language] : []),
    ...(updatedAt ? [`updated ${updatedAt.slice(0, 10)}`] : []),
    ...(archived ? ['archived'] : []),
    ...(others ? [`${formatNumber(others)} more in this repository`] : []),
  ]
  const line = `- ${id}: ${name} (${facts.join(', ')})${url ? ` ${url}` : ''}`
  const text = cleanLine(description ?? '')
  return [line, ...(text === null ? [] : [`  ${text}`]), ...(passage ? [`  In its SKILL.md: ${passage}`] : [])].join(
    '\n',
  )
}

const { q, mode, sort, page, distinct } = searchSkills.query.shape
const { data: hits, ...others } = searchSkills.response.pick({
  data: true,
  query: true,
  mode: true,
  degraded: true,
  pagination: true,
  hints: true,
}).shape
const { score, passage, duplicates, others: othersOfRepository } = hits.element.shape

const Found = z.object({
  ...others,
  data: z.array(SkillSummary.extend({ score, passage: passage.default(null), duplicates, others: othersOfRepository })),
})

/** `search_skills`: GET /api/v1/skills/search. */
export const searchTool = tool({
  name: 'search_skills',
  title: 'Search for skills',
  description:
    'Finds skills (reusable capabilities for AI agents, each a public repository) by what they do. Give a few words or a ' +
    'whole task of up to 2,000 characters: it matches words, synonyms, typos, meaning and the text of the SKILL.md, best ' +
    'first. Use it first; then get_skill for all of one. Filters narrow the search.',
  takes: z
    .object({ q, limit: ToolLimit, page, ...toolFilters, distinct, sort, mode })
    .refine(({ page, limit }) => (page - 1) * limit < reach, {
      path: ['page'],
      message: `reaches beyond the first ${reach} hits: narrow the search with filters, or page by cursor with list_skills.`,
      when: whenValid('page', 'limit'),
    }),
  gives: Found,

  async run(parameters, ask) {
    const answer = await ask(searchSkills, { segments: {}, querystring: withLimit(parameters) })
    return Found.extend({ data: Shortened.pipe(Found.shape.data) }).parse(answer)
  },

  toText({ data, query, degraded, hints = [], pagination: { page, total, totalIsLowerBound, totalPages } }) {
    const asText = hints.map(
      ({ text, parameter, value }) =>
        `${text} was searched for as text. To filter, give the argument ${parameter} with ${value}, and leave it out of q.`,
    )
    if (data.length === 0) {
      const none =
        page > 1 && total > 0
          ? `Page ${page} is after the last, which is ${totalPages}: ${total} found for “${query}”.`
          : `No skill is found for “${query}”. Use other or fewer words, or fewer filters.`
      return [none, ...asText].join('\n')
    }
    return [
      `${totalIsLowerBound ? 'At least ' : ''}${total} found for “${query}”, page ${page} of ${totalPages}, best first:`,
      ...data.map(toLines),
      ...asText,
      ...(degraded
        ? ['A model of this catalog does not answer at the moment: the words of the text count more than usual.']
        : []),
      ...(page < totalPages ? [`More: the same arguments with page ${page + 1}.`] : []),
    ].join('\n')
  },
})

const { cursor, ...listed } = listSkills.query.shape
const { starsGained, others: othersListed } = listSkills.response.shape.data.element.shape

const Listed = z.object({
  data: z.array(SkillSummary.extend({ starsGained, others: othersListed })),
  pagination: listSkills.response.shape.pagination.omit({ page: true, totalPages: true }),
})

/** `list_skills`: GET /api/v1/skills. */
export const listTool = tool({
  name: 'list_skills',
  title: 'List skills',
  description:
    'Lists skills by stars, time, name or trend, with filters and without a search text: the most starred of a topic, the newest ' +
    'of an owner, and so on. Page by page with cursor. To find skills by what they do use search_skills.',
  takes: z.object({ sort: listed.sort, order: listed.order, ...toolFilters, distinct, limit: ToolLimit, cursor }),
  gives: Listed,

  async run(parameters, ask) {
    const answer = await ask(listSkills, { segments: {}, querystring: withLimit(parameters) })
    return Listed.extend({ data: Shortened.pipe(Listed.shape.data) }).parse(answer)
  },

  toText({ data, pagination: { total, totalIsLowerBound, nextCursor } }) {
    if (data.length === 0) {
      return 'No skill matches. Use fewer filters.'
    }
    return [
      `${totalIsLowerBound ? 'At least ' : ''}${total} match, here ${data.length}:`,
      ...data.map(toLines),
      ...(nextCursor === null ? [] : [`More: the same arguments with cursor ${nextCursor}`]),
    ].join('\n')
  },
})

/** `suggest_skills`: GET /api/v1/skills/suggest. */
export const suggestTool = tool({
  name: 'suggest_skills',
  title: 'Complete the name of a skill',
  description:
    'Completes the beginning of a name, an owner or an owner/repo: use it when a part of a name is known, or to correct ' +
    'one that get_skill does not know. To find skills by what they do use search_skills.',
  takes: suggestSkills.query,
  gives: suggestSkills.response,

  async run(parameters, ask) {
    return answerOf(ask, suggestSkills, { parameters })
  },

  toText: ({ data, query }) =>
    data.length === 0
      ? `No name begins with “${query}”. Search for what the skill does with search_skills.`
      : [`Names for “${query}”:`, ...data.map(toLines)].join('\n'),
})

/** Topics and owners in the text; the structure has all. */
const maxNamed = 10

/** `catalog_stats`: GET /api/v1/stats. */
export const statsTool = tool({
  name: 'catalog_stats',
  title: 'Statistics of the catalog',
  description:
    'Gives the size of the catalog, its most frequent topics, its largest owners, and how fresh its data is. Use it to ' +
    'learn which topics and owners there are to filter by.',
  takes: stats.query,
  gives: stats.response,

  async run(_, ask) {
    return answerOf(ask, stats)
  },

  toText({ data: { totals, topTopics, topOrganizations, freshness } }) {
    const topics = topTopics.slice(0, maxNamed).map(({ topic, skills }) => `${topic} (${skills})`)
    const owners = topOrganizations.slice(0, maxNamed).map(({ login, skills }) => `${login} (${skills})`)
    return [
      `${formatCount(totals.skills, 'skills')}${
        totals.repositories === null ? '' : ` in ${formatCount(totals.repositories, 'repositories')}`
      } of ${formatCount(totals.organizations, 'organizations')}, ` +
        `${formatCount(totals.topics, 'topics')}, ${formatCount(totals.stars, 'stars')}`,
      `Most frequent topics: ${topics.join(', ') || 'none'}`,
      `Owners with the most skills: ${owners.join(', ') || 'none'}`,
      `Newest change of a skill: ${freshness.newestSkillUpdatedAt ?? 'unknown'}; index updated: ${freshness.lastSyncAt ?? 'unknown'}`,
    ].join('\n')
  },
})
