import { exportSnapshots } from '../endpoints/exports/export-snapshots.js'
import { listSkills } from '../endpoints/list-skills.js'
import { relatedSkills } from '../endpoints/related-skills.js'
import { searchSkills } from '../endpoints/search-skills.js'
import { skillHistory } from '../endpoints/skill-history.js'
import { stats } from '../endpoints/stats.js'
import { statsHistory } from '../endpoints/stats-history.js'
import type { Endpoint, EndpointDeps } from '../request/endpoint.js'
import { OneOf, WholeNumber } from '../request/parameters.js'
import { askInProcess, Routes } from '../request/routes.js'
import type { Ask, ListAnswer, SearchAnswer, StatsAnswer, StatsHistoryAnswer } from '../web/api/answers.js'
import type { Bar } from '../web/components/charts.js'
import { isDistinct } from '../web/components/first-view.js'
import type { StatisticsData } from '../web/views/statistics-view.js'

/** The endpoints that pages read. */
const routes = new Routes([
  listSkills,
  searchSkills,
  relatedSkills,
  skillHistory,
  stats,
  statsHistory,
  exportSnapshots,
] as Endpoint[])

/**
 * Reads addresses of the API for a page that is rendered here: with the parsing and the handlers that answer the same
 * requests of browsers, so that there is one way to the data.
 *
 * @throws AppError as the endpoint does
 */
export function askThisService(deps: EndpointDeps): Ask {
  // No endpoint that pages read uses the id of its request.
  const ask = askInProcess(deps, '')
  return async <Answer>(address: string): Promise<Answer> => {
    const { pathname, search } = new URL(address, 'http://localhost')
    const found = routes.find(pathname)
    if (found === undefined) {
      throw new Error(`pages read no endpoint at ${pathname}`)
    }
    const { endpoint, segments } = found
    return (await ask(endpoint, { segments, querystring: search.slice(1) })) as Answer
  }
}

/** Pages with 20 skills each, within the rows that pages by number reach. */
const maxPage = 500

/** The number of a page of a list. */
export const PageOfPages = WholeNumber(1, maxPage)

/** The description of the parameter `page`. */
export const pageOfPages = `number of the page, 1 to ${maxPage}`

/** The parameters of a page that lists skills. */
export const listingParameters = {
  sort: OneOf(['stars', 'trending', 'updated', 'created', 'name'])
    .default('stars')
    .describe('the order of the skills; without a value they come last'),
  page: PageOfPages.default(1).describe(pageOfPages),
}

/** Values of a facet that a page shows. */
const shownValues = 12

/** The skills of a page, and the most frequent values of their facets; these are empty when the search cannot answer. */
export async function readListing(
  ask: Ask,
  filter: { owner: string } | { topic: string },
  { sort, page }: { sort: string; page: number },
): Promise<{ list: ListAnswer; valuesOf: (facet: string) => string[] }> {
  const narrowed = new URLSearchParams(filter)
  const distinct = isDistinct(sort) ? { distinct: 'repository' } : {}
  const listed = new URLSearchParams({ ...filter, sort, page: String(page), ...distinct })
  // Every skill has its owner and its topics among its words.
  const counted = new URLSearchParams({ ...filter, q: String([...narrowed.values()][0]), mode: 'keyword', limit: '1' })
  counted.set('facets', 'topics,owner,language')
  const [list, facets] = await Promise.all([
    ask<ListAnswer>(`/api/v1/skills?${listed}`),
    ask<SearchAnswer>(`/api/v1/skills/search?${counted}`).then(
      (answer) => answer.facets,
      () => undefined,
    ),
  ])
  return { list, valuesOf: (facet) => (facets?.[facet] ?? []).slice(0, shownValues).map(({ value }) => value) }
}

/** Values that a chart shows. */
const valuesInStatistics = 10

const dayMs = 86_400_000

const spans = [
  ['the last 7 days', 7],
  ['the last 30 days', 30],
  ['the last 90 days', 90],
  ['the last year', 365],
  ['the last 2 years', 730],
] as const

/**
 * Reads what the page of statistics shows. The statistics of the API count topics and organizations. The languages and
 * licences to count are those of the most starred and the latest skills; each is counted by a list of its skills.
 *
 * @param nowMs epoch milliseconds
 */
export async function readStatistics(ask: Ask, nowMs: number): Promise<Omit<StatisticsData, 'origin'>> {
  const [{ data: stats }, { data: days }, ...samples] = await Promise.all([
    ask<StatsAnswer>('/api/v1/stats'),
    ask<StatsHistoryAnswer>('/api/v1/stats/history'),
    ...['stars', 'updated'].map((sort) => ask<ListAnswer>(`/api/v1/skills?sort=${sort}&limit=100`)),
  ])
  const skills = samples.flatMap(({ data }) => data)
  const [languages, licenses, freshness] = await Promise.all([
    countValues(ask, 'language', frequent(skills.map(({ language }) => language))),
    countValues(ask, 'license', frequent(skills.map(({ license }) => license))),
    Promise.all(
      spans.map(([text, days]) =>
        // Whole days: the catalog keeps totals by their filters, and so once a day counts again.
        count(ask, text, { updatedSince: new Date(nowMs - days * dayMs).toISOString().slice(0, 10) }, null),
      ),
    ),
  ])
  return { stats, growth: days.map(({ date, skills: value }) => ({ date, value })), languages, licenses, freshness }
}

/** The most frequent of these values; any spelling of a value counts, the first is kept. */
function frequent(values: (string | null)[]): string[] {
  const counts = new Map<string, { value: string; times: number }>()
  for (const value of values.filter((known) => known !== null)) {
    const counted = counts.get(value.toLowerCase()) ?? { value, times: 0 }
    counts.set(value.toLowerCase(), { ...counted, times: counted.times + 1 })
  }
  return [...counts.values()]
    .sort((a, b) => b.times - a.times)
    .slice(0, valuesInStatistics)
    .map(({ value }) => value)
}

async function countValues(ask: Ask, parameter: 'language' | 'license', values: string[]): Promise<Bar[]> {
  const bars = await Promise.all(
    values.map((value) => {
      const filter = { [parameter]: value }
      return count(ask, value, filter, `/?${new URLSearchParams(filter)}`)
    }),
  )
  return bars.sort((a, b) => b.value - a.value)
}

/** The number of skills that a filter admits, as a bar. */
async function count(ask: Ask, text: string, filter: Record<string, string>, href: string | null): Promise<Bar> {
  const query = new URLSearchParams({ ...filter, limit: '1', fields: 'name' })
  const { total, totalIsLowerBound } = (await ask<ListAnswer>(`/api/v1/skills?${query}`)).pagination
  return { text, value: total, isLowerBound: totalIsLowerBound, href }
}
