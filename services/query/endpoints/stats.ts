import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { CatalogDay, dateOfDay, dayOf, historyDays, Stats } from '../../../shared/records/stats.js'
import { tryAgain } from '../../../shared/runtime/errors.js'
import { stateKeys } from '../../../shared/state-keys.js'
import { endpoint } from '../request/endpoint.js'
import { WholeNumber } from '../request/parameters.js'
import { SendableText } from '../request/sendable-text.js'

/** How long fetched statistics are served before the store is read again. */
const statsMaxAgeSeconds = 300

/** How long the store is not read after a read without a result, while the old statistics are served. */
const pauseAfterFailureMs = 10_000

/**
 * Keeps the body of `/api/v1/stats` in this process for five minutes, serialized once. When the store fails, the last one
 * is still served, and its age is known.
 */
export class StatsCache {
  readonly #clock: () => number
  readonly #kept: LRUCache<'stats', { text: SendableText; fetchedAtMs: number }>

  /**
   * @param read reads what the indexer computed last; null before the first time
   * @param clock epoch milliseconds
   */
  constructor(read: () => Promise<unknown>, clock: () => number = Date.now) {
    this.#clock = clock
    this.#kept = new LRUCache({
      max: 1,
      // A value is fresh to the end of its time: hence one less.
      ttl: statsMaxAgeSeconds * 1_000 - 1,
      ttlResolution: 0,
      perf: { now: clock },
      fetchMethod: async (_, kept, { options }) => {
        try {
          const computed = await read()
          if (computed === null) {
            throw tryAgain('stats_not_ready', 'The statistics are being computed for the first time.', 5)
          }
          return { text: new SendableText(JSON.stringify({ data: Stats.parse(computed) })), fetchedAtMs: clock() }
        } catch (error) {
          if (kept === undefined) {
            throw error
          }
          options.ttl = pauseAfterFailureMs - 1
          return kept
        }
      },
    })
  }

  /**
   * Concurrent callers share one read.
   *
   * @returns the body, and how many seconds ago its statistics were fetched
   * @throws AppError `stats_not_ready` (503) when none were computed yet, or as `read` did when there are none to
   * serve
   */
  async get(): Promise<{ text: SendableText; ageSeconds: number }> {
    const { text, fetchedAtMs } = await this.#kept.forceFetch('stats')
    return { text, ageSeconds: Math.max(0, Math.floor((this.#clock() - fetchedAtMs) / 1_000)) }
  }
}

/** GET /api/v1/stats: the statistics that the indexer computes, cached by this service for five minutes. */
export const stats = endpoint({
  name: 'stats',
  path: '/api/v1/stats',
  summary: 'Statistics of the catalog',
  docs: {
    tag: 'Catalog',
    description: 'Computed every five minutes and cached for up to five more; `Age` is the time in the cache.',
    errors: ['stats_not_ready', 'catalog_unavailable'],
    headers: ['Age'],
  },
  response: z.object({ data: Stats }),
  cache: { maxAgeSeconds: statsMaxAgeSeconds },

  async handle(_, { stats: cache }) {
    const { text, ageSeconds } = await cache.get()
    return { text, headers: { Age: String(ageSeconds) } }
  },
})

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
