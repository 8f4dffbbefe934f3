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
  readonly #read: () => Promise<unknown>
  readonly #clock: () => number
  #kept: { text: SendableText; fetchedAtMs: number } | null = null
  #fetching: Promise<void> | null = null
  #pausedUntilMs = 0

  /**
   * @param read reads what the indexer computed last; null before the first time
   * @param clock epoch milliseconds
   */
  constructor(read: () => Promise<unknown>, clock: () => number = Date.now) {
    this.#read = read
    this.#clock = clock
  }

  /**
   * @returns the body, and how many seconds ago its statistics were fetched
   * @throws AppError `stats_not_ready` (503) when none were computed yet, or as `read` did when there are none to
   * serve
   */
  async get(): Promise<{ text: SendableText; ageSeconds: number }> {
    if (this.#isDue()) {
      // Concurrent callers share one read.
      this.#fetching ??= this.#fetch().finally(() => {
        this.#fetching = null
      })
      await this.#fetching
    }
    if (this.#kept === null) {
      throw tryAgain('stats_not_ready', 'The statistics are being computed for the first time.', 5)
    }
    const { text, fetchedAtMs } = this.#kept
    return { text, ageSeconds: Math.max(0, Math.floor((this.#clock() - fetchedAtMs) / 1_000)) }
  }

  #isDue(): boolean {
    const now = this.#clock()
    return (
      this.#kept === null || (now - this.#kept.fetchedAtMs >= statsMaxAgeSeconds * 1_000 && now >= this.#pausedUntilMs)
    )
  }

  async #fetch(): Promise<void> {
    try {
      const read = await this.#read()
      if (read !== null) {
        const text = new SendableText(JSON.stringify({ data: Stats.parse(read) }))
        this.#kept = { text, fetchedAtMs: this.#clock() }
      } else {
        this.#pausedUntilMs = this.#clock() + pauseAfterFailureMs
      }
    } catch (error) {
      if (this.#kept === null) {
        throw error
      }
      this.#pausedUntilMs = this.#clock() + pauseAfterFailureMs
    }
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
