import { z } from 'zod'
import { searchSkills as endpoint } from '../../endpoints/search-skills.js'
import { Shortened, SkillSummary, ToolLimit, toLines, toolFilters, withLimit } from '../skill-summary.js'
import { tool, toQuery } from '../tool.js'

const { q, mode, sort, page, distinct } = endpoint.query.shape
const { data, ...others } = endpoint.response.pick({
  data: true,
  query: true,
  mode: true,
  degraded: true,
  pagination: true,
  hints: true,
}).shape
const { score, passage, duplicates, others: othersOfRepository } = data.element.shape

const Found = z.object({
  ...others,
  data: z.array(SkillSummary.extend({ score, passage: passage.default(null), duplicates, others: othersOfRepository })),
})

/** `search_skills`: GET /api/v1/skills/search. */
export const searchSkills = tool({
  name: 'search_skills',
  title: 'Search for skills',
  description:
    'Finds skills (reusable capabilities for AI agents, each a public repository) by what they do. Give a few words or a ' +
    'whole task of up to 2,000 characters: it matches words, synonyms, typos, meaning and the text of the SKILL.md, best ' +
    'first. Use it first; then get_skill for all of one. Filters narrow the search.',
  takes: z.object({ q, limit: ToolLimit, page, ...toolFilters, distinct, sort, mode }),
  gives: Found,

  async run(parameters, ask) {
    const answer = await ask(endpoint, { segments: {}, querystring: toQuery(withLimit(parameters)) })
    return Found.extend({ data: Shortened.pipe(Found.shape.data) }).parse(answer)
  },

  toText({ data, query, degraded, hints = [], pagination: { page, total, totalIsLowerBound, totalPages } }) {
    const asText = hints.map(
      ({ text, parameter, value }) =>
        `${text} was searched for as text. To filter, give the argument ${parameter} with ${value}, and leave it out of q.`,
    )
    if (data.length === 0) {
      const none = `No skill is found for “${query}”${page > 1 ? ` on page ${page}` : ''}. Use other or fewer words, or fewer filters.`
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
