import { z } from 'zod'
import type { FoundWord, SearchHit, Span } from '../../../shared/ports/search-index.js'
import type { Passage } from '../../../shared/ports/skill-texts.js'
import { skillOf } from '../../../shared/records/skill.js'
import { symbolNames } from '../../../shared/text/analyze.js'
import { escapeHtml } from '../../../shared/text/clean-text.js'
import { type Backends, withinTime } from '../observability/backends.js'
import { filterParameters } from '../request/parameters.js'

/** A page of hits does not wait longer for its passages: it is complete without them. */
const timeLimitMs = 1_000

/**
 * The passages of the texts in which words of a query were found, for each hit; null: no word is in its text alone, or the
 * catalog does not answer.
 */
export async function findPassages(
  catalog: Pick<Backends['catalog'], 'findPassages'>,
  hits: SearchHit[],
): Promise<(Passage | null)[]> {
  const queries = hits.map((hit) => {
    if (hit.textWords.length === 0) {
      return null
    }
    const { id, digest } = skillOf(hit)
    return { id, digest, stems: hit.textWords }
  })
  const wanted = queries.filter((query) => query !== null)
  if (wanted.length === 0) {
    return hits.map(() => null)
  }
  const passages = await withinTime(catalog.findPassages(wanted), timeLimitMs).catch(() => null)
  return queries.map((query) => (query && passages?.get(query.id)) ?? null)
}

/**
 * A text as HTML with its matches in `<em>`, or null when it has none. The rest is escaped: a description is untrusted
 * text.
 *
 * @param matches in any order; overlapping and adjacent ones are merged
 */
export function highlight(text: string | null, matches: Span[] | undefined): string | null {
  if (text === null || matches === undefined || matches.length === 0) {
    return null
  }
  let html = ''
  let written = 0
  for (const { start, end } of merged(text, matches)) {
    html += `${escapeHtml(text.slice(written, start))}<em>${escapeHtml(text.slice(start, end))}</em>`
    written = end
  }
  return html + escapeHtml(text.slice(written))
}

function merged(text: string, matches: Span[]): { start: number; end: number }[] {
  const ranges = matches
    .map(({ start, length }) => ({
      start: wholeCharacter(text, start, -1),
      end: wholeCharacter(text, start + length, 1),
    }))
    .filter(({ start, end }) => start < end)
    .sort((a, b) => a.start - b.start)
  const apart: { start: number; end: number }[] = []
  for (const range of ranges) {
    const last = apart.at(-1)
    if (last !== undefined && range.start <= last.end) {
      last.end = Math.max(last.end, range.end)
    } else {
      apart.push(range)
    }
  }
  return apart
}

/** A position in the text, moved out of the middle of a surrogate pair. */
function wholeCharacter(text: string, position: number, direction: 1 | -1): number {
  const within = Math.min(Math.max(position, 0), text.length)
  const splits = /^[\udc00-\udfff]$/.test(text.charAt(within)) && /^[\ud800-\udbff]$/.test(text.charAt(within - 1))
  return splits ? within + direction : within
}

/** The fields of a hit as HTML, see `highlight`. @param passage that of its text; null: none */
export function highlightsOf(hit: SearchHit, passage: Passage | null) {
  const { matches } = hit
  const skill = skillOf(hit)
  return {
    name: highlight(skill.name, matches?.name),
    repo: highlight(skill.repo, matches?.repo),
    owner: highlight(skill.owner, matches?.owner),
    description: highlight(skill.description, matches?.description),
    topics: skill.topics.flatMap((topic, position) => highlight(topic, matches?.topics?.[position]) ?? []),
    passage: passage === null ? null : highlight(passage.text, passage.matches),
  }
}

/** A word of a query with its symbols, where the query has them: `c++` is compared as `cplusplus`. */
export function asWritten<Found extends Pick<FoundWord, 'word'>>(found: Found, q: string): Found {
  const written = q.toLowerCase()
  const symbols = [...symbolNames].filter(([symbol]) => written.includes(symbol))
  return { ...found, word: symbols.reduce((word, [symbol, name]) => word.replaceAll(name, symbol), found.word) }
}

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
    const value = (quoted ?? word.replace(/(?<![,;.?!)])[,;.?!)]+$/, '')).trim()
    const given = parameter === 'topic' ? [value] : value
    if (parameter !== undefined && filterParameters[parameter].safeParse(given).success) {
      const instead = new URLSearchParams({ [parameter]: value })
      const message = `${text} is searched for as text. To filter, ask with ${instead}, and without it in q.`
      hints.set(text, { text, parameter, value, message })
    }
  }
  return [...hints.values()]
}
