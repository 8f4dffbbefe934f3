import { renderXml, sitemapStarts } from '../pages/render-page.js'
import { endpoint } from '../request/endpoint.js'

/** GET /sitemap.xml: the list of sitemap parts (https://www.sitemaps.org/protocol.html#index). */
export const sitemap = endpoint({
  name: 'sitemap',
  path: '/sitemap.xml',
  summary: 'For crawlers: the list of sitemap parts',
  docs: { tag: 'Discovery', errors: ['catalog_unavailable'] },
  produces: 'application/xml; charset=utf-8',
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ header }, { catalog, originOf }) {
    const starts = await sitemapStarts(catalog)
    const origin = originOf(header)
    return {
      text: renderXml({
        sitemapindex: {
          '@xmlns': 'http://www.sitemaps.org/schemas/sitemap/0.9',
          sitemap: starts.map((_, place) => ({ loc: `${origin}/sitemaps/${place + 1}.xml` })),
        },
      }),
    }
  },
})
