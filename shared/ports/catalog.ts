import type { StarDay } from '../records/stats.js'
import type { DatasetReader } from './dataset-reader.js'
import type { DeadLetters } from './document-ingest.js'
import type { Lock, Locks } from './locks.js'
import type { RecordWriter } from './record-writer.js'
import type { SkillReader } from './skill-reader.js'
import type { SkillTexts } from './skill-texts.js'

/**
 * Small JSON documents by key: positions, results of jobs, statistics. See `stateKeys`.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the store does not answer.
 */
export interface StateStore {
  /** Null when there is none. */
  readState<T>(key: string): Promise<T | null>

  /**
   * Stores a document; null deletes it.
   *
   * @param lock under which this key is written, always the same lock; absent: the last write wins
   * @throws AppError `lock_lost` (409) when a later holder of that lock has written the key
   */
  writeState(key: string, value: unknown, lock?: Lock): Promise<void>
}

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
  readHistories(ids: string[]): Promise<StarHistory[]>

  /**
   * Stores histories of skills of the catalog, each with the number by which the list sorts trending skills; see
   * `trendOf`.
   *
   * @throws AppError `lock_lost` (409) when a later holder of the lock has written one of them
   */
  writeHistories(histories: (StarHistory & { trend: number | null })[], lock: Lock): Promise<void>

  /** Ids of skills that are stored with a trend, also with 0, after `afterId` (null: from the start), in their order. */
  listTrending(afterId: string | null, limit: number): Promise<string[]>
}

/**
 * The catalog's database: the records, from which the index, the statistics and the exports are made, and the state of
 * the jobs. Functions depend on the port that they need, not on all of it.
 */
export interface Catalog
  extends SkillReader,
    DatasetReader,
    RecordWriter,
    StateStore,
    DeadLetters,
    StarHistories,
    SkillTexts,
    Locks {
  close(): Promise<void>
}
