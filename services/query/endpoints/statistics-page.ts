import { askThisService, readStatistics } from '../pages/page-data.js'
import { htmlType, pageHeaders, renderPage } from '../pages/render-page.js'
import { endpoint } from '../request/endpoint.js'

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
    const text = renderPage({
      title: 'Statistics – Skill Catalog',
      description: 'Skills for AI agents by topic, organization, language, licence and time.',
      canonical: `${origin}${path}`,
      json: '/api/v1/stats',
      path,
      shown: { view: 'statistics', data: { ...data, origin } },
    })
    return { text, headers: pageHeaders }
  },
})
