import type { Client } from './client.js'
import type { Fence } from './locks.js'

/**
 * Small JSON documents by key: positions, results of jobs, statistics. See `stateKeys`.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the store does not answer.
 */
export interface StateStore {
  /** Null when there is none. */
  readState<T>(key: string, client?: Client): Promise<T | null>

  /**
   * Stores a document; null deletes it.
   *
   * @param fence of the lock under which this key is written, always the same lock; absent: the last write wins
   * @throws AppError `lock_lost` (409) when a later holder of that lock has written the key
   */
  writeState(key: string, value: unknown, fence?: Fence): Promise<void>
}
