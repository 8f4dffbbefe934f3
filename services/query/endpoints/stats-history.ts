import { z } from 'zod'
import { CatalogDay, dateOfDay, dayOf, historyDays } from '../../../shared/records/stats.js'
import { stateKeys } from '../../../shared/state-keys.js'
import { endpoint } from '../request/endpoint.js'
import { WholeNumber } from '../request/parameters.js'

/** GET /api/v1/stats/history: how the catalog grew, a row for each day. */
export const statsHistory = endpoint({
  name: 'stats-history',
  path: '/api/v1/stats/history',
  summary: 'Totals of the catalog by day',
  docs: {
    tag: 'Catalog',
    description:
      'The oldest day first, today as the last one. Recorded every hour since the catalog began to do so, and kept for ' +
      'a year. A day on which no indexer ran is left out.',
    errors: ['catalog_unavailable'],
  },
  query: z.object({
    days: WholeNumber(1, historyDays)
      .default(historyDays)
      .describe(`the last days, today included, 1 to ${historyDays}`),
  }),
  response: z.object({ data: z.array(CatalogDay) }),
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 3_600 },

  async handle({ query }, { catalog, clock }) {
    const history = (await catalog.readState<CatalogDay[]>(stateKeys.catalogHistory)) ?? []
    const first = dateOfDay(dayOf(new Date(clock())) - query.days + 1)
    return { body: { data: history.filter(({ date }) => date >= first).map((each) => CatalogDay.parse(each)) } }
  },
})
