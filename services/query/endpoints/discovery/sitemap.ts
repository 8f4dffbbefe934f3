import { z } from 'zod'
import type { LoggedChange } from '../../../../shared/ports/change-log.js'
import { type SitemapState, stateKeys } from '../../../../shared/state-keys.js'
import type { Backends } from '../../observability/backends.js'
import { documentedAs } from '../../openapi/documented-as.js'
import { renderXml } from '../../pages/render-page.js'
import { endpoint } from '../../request/endpoint.js'
import { problemError } from '../../request/problems.js'

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

/** The sequences of the change log at which the sitemap's parts begin. Until they are computed, there is one part. */
async function sitemapStarts(catalog: Pick<Backends['catalog'], 'readState'>): Promise<number[]> {
  return (await catalog.readState<SitemapState>(stateKeys.sitemap))?.starts ?? [0]
}

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

/** Pages in every part: one must not be empty, even when all of its skills have changed since and moved to another. */
const fixedPages = ['/', '/organizations', '/topics', '/repositories', '/statistics', '/dataset', '/docs']

/** URLs that a part may hold by the protocol, without the fixed pages. */
const maxSkills = 50_000 - fixedPages.length

/** The file name of a part: its number, from 1. */
const fileName = /^([1-9]\d{0,5})\.xml$/

/** Entries of the log per read. */
const pageSize = 10_000

/** GET /sitemaps/:file: the pages of one range of skills (https://www.sitemaps.org/protocol.html). */
export const sitemapPart = endpoint({
  name: 'sitemap-part',
  path: '/sitemaps/:file',
  summary: 'For crawlers: a part of the sitemap',
  docs: { tag: 'Discovery', errors: ['sitemap_unknown', 'catalog_unavailable'] },
  produces: 'application/xml; charset=utf-8',
  params: z.object({
    file: z
      .string()
      .describe('`<number>.xml`, as /sitemap.xml lists it')
      .meta(documentedAs({ type: 'string', pattern: fileName.source })),
  }),
  cache: { maxAgeSeconds: 3_600, staleWhileRevalidateSeconds: 86_400 },

  async handle({ params, header }, { catalog, changes, originOf }) {
    const starts = await sitemapStarts(catalog)
    const place = Number(fileName.exec(params.file)?.[1] ?? 0) - 1
    const start = starts[place]
    if (start === undefined) {
      throw problemError('sitemap_unknown', 'The sitemap has no such part. /sitemap.xml lists the parts.')
    }
    const end = starts[place + 1] ?? Number.POSITIVE_INFINITY
    const origin = originOf(header)
    const skills = await publishedBetween(changes, start, end)
    return {
      text: renderXml({
        urlset: {
          '@xmlns': 'http://www.sitemaps.org/schemas/sitemap/0.9',
          url: [
            ...fixedPages.map((path) => ({ loc: `${origin}${path}` })),
            ...skills.map(({ id, changedAt }) => ({ loc: `${origin}/skills/${id}`, lastmod: changedAt })),
          ],
        },
      }),
    }
  },
})

/** The published skills after one sequence of the change log and up to another, as many as a part may hold. */
async function publishedBetween(changes: Backends['changes'], start: number, end: number): Promise<LoggedChange[]> {
  const found: LoggedChange[] = []
  let place = start
  for (;;) {
    const { changes: page } = await changes.after(place, pageSize)
    found.push(...page.filter(({ sequence, contentHash }) => sequence <= end && contentHash !== null))
    place = page.at(-1)?.sequence ?? end
    if (page.length < pageSize || place >= end || found.length >= maxSkills) {
      return found.slice(0, maxSkills)
    }
  }
}
