import type { StarDay } from '../records/star-history.js'
import type { Client } from './client.js'
import type { Fence } from './locks.js'

/** The stars of a skill over the last year. */
export interface StarHistory {
  /** The id of the skill. */
  id: string
  /** By day; see `withDay`. */
  days: StarDay[]
}

/**
 * How the stars of skills have changed. One job writes it.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the store does not answer.
 */
export interface StarHistories {
  /** The histories of these ids, in no order; ids without one are left out. */
  readHistories(ids: string[], client?: Client): Promise<StarHistory[]>

  /**
   * Stores histories of skills of the catalog, each with the number by which the list sorts trending skills; see
   * `trendOf`.
   *
   * @throws AppError `lock_lost` (409) when a later holder of the lock has written one of them
   */
  writeHistories(histories: (StarHistory & { trend: number | null })[], fence: Fence): Promise<void>

  /** Ids of skills that are stored with a trend, also with 0, after `afterId` (null: from the start), in their order. */
  listTrending(afterId: string | null, limit: number): Promise<string[]>
}
