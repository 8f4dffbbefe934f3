import { z } from 'zod'
import { filterParameters } from '../http/parameters.js'

/** A part of a search text that would be a filter elsewhere. */
export const FilterHint = z.object({
  text: z.string().describe('the part of q, for instance owner:acme'),
  parameter: z.enum(['owner', 'topic', 'license', 'language']),
  value: z.string().describe('what to ask the parameter for'),
  message: z.string().describe('what was done, and what to ask for instead'),
})
export type FilterHint = z.infer<typeof FilterHint>

/** The names that searches of code hosts give to these filters. */
const parameters: Record<string, FilterHint['parameter']> = {
  owner: 'owner',
  user: 'owner',
  org: 'owner',
  topic: 'topic',
  license: 'license',
  licence: 'license',
  language: 'language',
  lang: 'language',
}

const filterPattern = new RegExp(
  `(?<!\\S)(${Object.keys(parameters).join('|')}):(?:["“”„]([^"“”„]+)["“”„]|([^\\s"“”„]+))`,
  'giu',
)

/**
 * The parts of a search text that look like filters: `owner:acme`, `topic:"machine learning"`. A search text is text and
 * never syntax, so they are searched for, and the answer says how to filter.
 *
 * @param q the search text
 * @returns each of them once, in their order
 */
export function filterHints(q: string): FilterHint[] {
  const hints = new Map<string, FilterHint>()
  for (const [text, name = '', quoted, word = ''] of q.matchAll(filterPattern)) {
    const parameter = parameters[name.toLowerCase()]
    const value = (quoted ?? word.replace(/[,;.?!)]+$/, '')).trim()
    const given = parameter === 'topic' ? [value] : value
    if (parameter !== undefined && filterParameters[parameter].safeParse(given).success) {
      const instead = new URLSearchParams({ [parameter]: value })
      const message = `${text} is searched for as text. To filter, ask with ${instead}, and without it in q.`
      hints.set(text, { text, parameter, value, message })
    }
  }
  return [...hints.values()]
}
