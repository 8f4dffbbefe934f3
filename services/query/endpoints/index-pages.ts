import { z } from 'zod'
import { type IndexKind, type IndexValue, maxIndexValues } from '../../../shared/ports/dataset-reader.js'
import { unavailable } from '../../../shared/runtime/errors.js'
import { stateKeys } from '../../../shared/state-keys.js'
import { htmlType, pageHeaders, renderPage } from '../pages/render-page.js'
import { type Endpoint, endpoint } from '../request/endpoint.js'
import { WholeNumber } from '../request/parameters.js'
import { listingAddress } from '../web/components/first-view.js'

/** Values on a page. */
const perPage = 100

const lastPage = maxIndexValues / perPage

const retryAfterSeconds = 5

/** A page that lists all organizations or topics, as the job `compute-stats` counted them last. */
const indexPage = (kind: IndexKind, title: string) =>
  endpoint({
    name: kind === 'topics' ? 'topic-index' : 'organization-index',
    path: `/${kind}`,
    summary: `The ${kind} as a page, those with the most skills first`,
    docs: { tag: 'Discovery', errors: ['stats_not_ready', 'catalog_unavailable'] },
    produces: htmlType,
    query: z.object({
      page: WholeNumber(1, lastPage).default(1).describe(`number of the page, 1 to ${lastPage}`),
    }),
    cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

    /** @throws AppError `stats_not_ready` (503) */
    async handle({ query: { page }, header, path }, { catalog, originOf }) {
      const values = await catalog.readState<IndexValue[]>(stateKeys.index(kind))
      if (values === null) {
        throw unavailable(
          'stats_not_ready',
          `The ${kind} are being counted for the first time. Try again in ${retryAfterSeconds} s.`,
          retryAfterSeconds,
        )
      }
      const text = renderPage({
        title: `${title} – Skill Catalog`,
        description: `The ${kind} of skills for AI agents, those with the most skills first.`,
        canonical: `${originOf(header)}${listingAddress(`/${kind}`, 'stars', page)}`,
        path,
        shown: {
          view: 'index',
          data: {
            kind,
            title,
            values: values.slice((page - 1) * perPage, page * perPage),
            total: values.length,
            isCut: values.length === maxIndexValues,
            page,
            totalPages: Math.ceil(values.length / perPage),
          },
        },
      })
      return { text, headers: pageHeaders }
    },
  })

/** GET /organizations, GET /topics. */
export const indexPages: Endpoint[] = [indexPage('organizations', 'Organizations'), indexPage('topics', 'Topics')]
