import { textEndpoint } from '../text-endpoint.js'

/** GET /robots.txt: crawlers find the pages in the sitemap, and the data in the export rather than in the API. */
export const robots = textEndpoint({
  name: 'robots',
  path: '/robots.txt',
  summary: 'What crawlers may read (RFC 9309)',
  docs: { tag: 'Discovery', errors: [] },
  produces: 'text/plain; charset=utf-8',
  cache: { maxAgeSeconds: 3_600, staleWhileRevalidateSeconds: 86_400 },

  async handle({ header }, { originOf }) {
    return { text: `User-agent: *\nDisallow: /api/\nAllow: /\n\nSitemap: ${originOf(header)}/sitemap.xml\n` }
  },
})
