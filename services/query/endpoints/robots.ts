import { endpoint } from '../request/endpoint.js'

/** GET /robots.txt: sends crawlers to the sitemap and keeps them from the API, and from every combination of filters. */
export const robots = endpoint({
  name: 'robots',
  path: '/robots.txt',
  summary: 'The rules for crawlers (RFC 9309)',
  docs: { tag: 'Discovery', errors: [] },
  produces: 'text/plain; charset=utf-8',
  cache: { maxAgeSeconds: 3_600, staleWhileRevalidateSeconds: 86_400 },

  async handle({ header }, { originOf }) {
    return {
      text: `User-agent: *\nDisallow: /api/\nDisallow: /?\nAllow: /\n\nSitemap: ${originOf(header)}/sitemap.xml\n`,
    }
  },
})
