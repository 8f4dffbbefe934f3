import { htmlType, pageAnswer } from '../../pages/render-page.js'
import { endpoint } from '../../request/endpoint.js'
import type { Ask, ListAnswer, SnapshotsAnswer, StatsAnswer, StatsHistoryAnswer } from '../../web/api/answers.js'
import type { Bar } from '../../web/components/charts.js'
import type { StatisticsData } from '../../web/views/statistics-view.js'
import { askThisService } from './page-data.js'

/** GET /dataset: the files of the newest snapshot, and how to use them, as a page. */
export const datasetPage = endpoint({
  name: 'dataset-page',
  path: '/dataset',
  summary: 'The files of the dataset as a page',
  docs: { tag: 'Discovery', errors: ['exports_unavailable'] },
  produces: htmlType,
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ header, path }, deps) {
    const origin = deps.originOf(header)
    const { data, datasets } = await askThisService(deps)<SnapshotsAnswer>('/api/v1/exports')
    return pageAnswer({
      title: 'Dataset – Skill Catalog',
      description: 'Skills, prompts and organizations as JSON, NDJSON, CSV, Parquet and SQLite, under CC BY 4.0.',
      canonical: `${origin}${path}`,
      json: '/api/v1/exports',
      path,
      about: {
        '@type': 'Dataset',
        name: 'Skill Catalog',
        description: 'Skills, prompts and organizations for AI agents.',
        url: `${origin}${path}`,
        license: 'https://creativecommons.org/licenses/by/4.0/',
        isAccessibleForFree: true,
      },
      shown: { view: 'dataset', data: { snapshot: data[0] ?? null, dataset: datasets[0] ?? null, origin } },
    })
  },
})

/** GET /statistics: the catalog in numbers, as a page. */
export const statisticsPage = endpoint({
  name: 'statistics-page',
  path: '/statistics',
  summary: 'The statistics of the catalog as a page',
  docs: { tag: 'Discovery', errors: ['stats_not_ready', 'catalog_unavailable', 'query_timeout'] },
  produces: htmlType,
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ header, path }, deps) {
    const origin = deps.originOf(header)
    const data = await readStatistics(askThisService(deps), deps.clock())
    return pageAnswer({
      title: 'Statistics – Skill Catalog',
      description: 'Skills for AI agents by topic, organization, language, licence and time.',
      canonical: `${origin}${path}`,
      json: '/api/v1/stats',
      path,
      shown: { view: 'statistics', data: { ...data, origin } },
    })
  },
})

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
 * licences to count are those of the most starred and the latest repositories, a skill of each; each is counted by a list
 * of its skills.
 *
 * @param nowMs epoch milliseconds
 */
async function readStatistics(ask: Ask, nowMs: number): Promise<Omit<StatisticsData, 'origin'>> {
  const [{ data: stats }, { data: days }, ...samples] = await Promise.all([
    ask<StatsAnswer>('/api/v1/stats'),
    ask<StatsHistoryAnswer>('/api/v1/stats/history'),
    ...['stars', 'updated'].map((sort) => ask<ListAnswer>(`/api/v1/skills?sort=${sort}&distinct=repository&limit=100`)),
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
