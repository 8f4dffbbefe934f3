import { z } from 'zod'
import type { LoggedChange } from '../../../shared/ports/change-log.js'
import type { Backends } from '../backends.js'
import { endpoint } from '../endpoint.js'
import { problemError } from '../errors.js'
import { shownAs } from '../openapi/shown-as.js'
import { sitemapStarts } from '../sitemap.js'
import { renderXml } from '../xml.js'

/** The most addresses that a part may hold by the protocol, but for that of the first page. */
const mostSkills = 50_000 - 1

/** What parts are called: by their number, from 1. */
const fileName = /^([1-9]\d{0,5})\.xml$/

/** How many entries of the log are read at a time. */
const readAtOnce = 10_000

/** GET /sitemaps/:file: the pages of some of the skills (https://www.sitemaps.org/protocol.html). */
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
      .meta(shownAs({ type: 'string', pattern: fileName.source })),
  }),
  query: z.object({}),
  response: z.string(),
  limits: ['default'],
  cache: { maxAgeSeconds: 3_600, staleWhileRevalidateSeconds: 86_400 },

  /** @throws AppError `sitemap_unknown` (404) */
  async handle({ params, header }, { catalog, changes, originOf }) {
    const starts = await sitemapStarts(catalog)
    const place = Number(fileName.exec(params.file)?.[1] ?? 0) - 1
    const start = starts[place]
    if (start === undefined) {
      throw problemError('sitemap_unknown', 'The sitemap has no such part. Those that there are, are in /sitemap.xml.')
    }
    const end = starts[place + 1] ?? Number.POSITIVE_INFINITY
    const origin = originOf(header)
    const skills = await publishedBetween(changes, start, end)
    return {
      text: renderXml({
        urlset: {
          '@xmlns': 'http://www.sitemaps.org/schemas/sitemap/0.9',
          url: [
            // A part must hold something, also when all that it held has moved since.
            { loc: `${origin}/` },
            ...skills.map(({ id, changedAt }) => ({ loc: `${origin}/skills/${id}`, lastmod: changedAt })),
          ],
        },
      }),
    }
  },
})

/** What is published behind one place of the change log and up to another, as far as a part may hold it. */
async function publishedBetween(changes: Backends['changes'], start: number, end: number): Promise<LoggedChange[]> {
  const found: LoggedChange[] = []
  let place = start
  for (;;) {
    const { changes: page } = await changes.after(place, readAtOnce)
    found.push(...page.filter(({ sequence, contentHash }) => sequence <= end && contentHash !== null))
    place = page.at(-1)?.sequence ?? end
    if (page.length < readAtOnce || place >= end || found.length >= mostSkills) {
      return found.slice(0, mostSkills)
    }
  }
}
