import { unavailable } from '../../shared/errors.js'
import { Stats } from '../../shared/records/stats.js'

/** For how long fetched statistics are served without asking the store again. */
export const statsMaxAgeSeconds = 300

/** After a failed fetch the store is left alone for this long, while the old statistics are served. */
const pauseAfterFailureMs = 10_000

const retryAfterSeconds = 5

/**
 * The statistics, kept in this process for five minutes. When the store fails the last ones go on being served, and
 * their age says so.
 */
export class StatsCache {
  readonly #read: () => Promise<unknown>
  readonly #clock: () => number
  #kept: { stats: Stats; fetchedAtMs: number } | null = null
  #fetching: Promise<void> | null = null
  #pausedUntilMs = 0

  /**
   * @param read fetches what the indexer computed last; null before the first time
   * @param clock epoch milliseconds
   */
  constructor(read: () => Promise<unknown>, clock: () => number = Date.now) {
    this.#read = read
    this.#clock = clock
  }

  /**
   * @returns the statistics, and how many seconds ago they were fetched
   * @throws AppError `stats_not_ready` (503) when none were computed yet, or as `read` did when there are none to
   * fall back on
   */
  async get(): Promise<{ stats: Stats; ageSeconds: number }> {
    if (this.#isDue()) {
      // However many ask at once, the store is asked once.
      this.#fetching ??= this.#fetch().finally(() => {
        this.#fetching = null
      })
      await this.#fetching
    }
    if (this.#kept === null) {
      throw unavailable(
        'stats_not_ready',
        `The statistics are being computed for the first time. Try again in ${retryAfterSeconds} s.`,
        retryAfterSeconds,
      )
    }
    const { stats, fetchedAtMs } = this.#kept
    return { stats, ageSeconds: Math.max(0, Math.floor((this.#clock() - fetchedAtMs) / 1_000)) }
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
        this.#kept = { stats: Stats.parse(read), fetchedAtMs: this.#clock() }
      }
    } catch (error) {
      if (this.#kept === null) {
        throw error
      }
      this.#pausedUntilMs = this.#clock() + pauseAfterFailureMs
    }
  }
}
