import { z } from 'zod'
import { listSkills as endpoint } from '../../endpoints/list-skills.js'
import { Shortened, SkillSummary, ToolLimit, toLines, toolFilters, withLimit } from '../skill-summary.js'
import { tool, toQuery } from '../tool.js'

const { cursor, sort, order, distinct } = endpoint.query.shape
const { pagination, data } = endpoint.response.shape
const { starsGained, others } = data.element.shape

const Listed = z.object({
  data: z.array(SkillSummary.extend({ starsGained, others })),
  pagination: pagination.omit({ page: true, totalPages: true }),
})

/** `list_skills`: GET /api/v1/skills. */
export const listSkills = tool({
  name: 'list_skills',
  title: 'List skills',
  description:
    'Lists skills by stars, time, name or trend, with filters and without a search text: the most starred of a topic, the newest ' +
    'of an owner, and so on. Page by page with cursor. To find skills by what they do use search_skills.',
  takes: z.object({ sort, order, ...toolFilters, distinct, limit: ToolLimit, cursor }),
  gives: Listed,

  async run(parameters, ask) {
    const answer = await ask(endpoint, { segments: {}, querystring: toQuery(withLimit(parameters)) })
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
