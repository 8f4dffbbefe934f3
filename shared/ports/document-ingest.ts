import type { Lock } from './locks.js'

/** A record that could not be published or indexed, kept for the operator. */
export interface DeadLetter {
  /** See `letterId`. */
  id: string
  reason: string
  /** ISO-8601. */
  since: string
  /** The fault: `document`: it cannot be published as stored; `index`: the search index rejects it. */
  source: 'document' | 'index'
}

/**
 * The records that could not be published or indexed.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the store does not answer.
 */
export interface DeadLetters {
  /**
   * Keeps dead letters, or replaces those of the same id, whose time stays.
   *
   * @throws AppError `lock_lost` (409) when a later holder of the lock has written one of them
   */
  keepDeadLetters(letters: DeadLetter[], lock: Lock): Promise<void>

  /** Drops the letters of this source with these ids. */
  dropDeadLetters(ids: string[], source: DeadLetter['source'], lock: Lock): Promise<void>

  /** Dead letters by id, after `afterId`. */
  listDeadLetters(afterId: string | null, limit: number): Promise<DeadLetter[]>
}

/** The outcome of an ingest. */
export interface Ingested {
  /**
   * The skills whose change was logged, with the hash of their content; null: no longer published. `isNew`: they were not
   * published before.
   */
  logged: { id: string; contentHash: string | null; isNew: boolean }[]
  /** Documents that cannot be published as they are, and the reasons. */
  rejected: { id: string; reason: string }[]
}

/** A comparison of all documents with the catalog, in steps of some hundred documents. */
interface DocumentComparison {
  /**
   * Compares the next documents, and ingests those that differ.
   *
   * @returns null: all were compared
   * @throws AppError `lock_lost` (409) when another holder has ingested since
   */
  step(lock: Lock): Promise<Ingested | null>
  close(): Promise<void>
}

/**
 * Follows the documents that other applications and imports write to the catalog's database. Only on servers: an embedded
 * catalog has no other writers.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the database does not answer.
 */
export interface DocumentIngest {
  /** Whether documents may wait to be ingested: one cheap read. */
  hasNew(): Promise<boolean>

  /**
   * Ingests the next documents that were written: what they are in the catalog is written, and logged where the public
   * content of a skill has changed.
   *
   * @param signal stops it between two batches
   * @returns `rejected`: those with a new reason; `more`: whether more documents wait to be ingested
   * @throws AppError `lock_lost` (409) when another holder has ingested since; the signal's reason
   */
  ingest(lock: Lock, signal?: AbortSignal): Promise<Ingested & { more: boolean }>

  /** Compares all documents, also those that were deleted or written unnoticed. */
  compare(): DocumentComparison

  /**
   * Ingests the documents of these dead letters (at most 1,000), and drops letters without a document.
   *
   * @returns `rejected`: all that still are
   * @throws AppError `lock_lost` (409) when another holder has ingested since
   */
  ingestLetters(ids: string[], lock: Lock): Promise<Ingested>

  /**
   * Calls `onChange` soon after documents were written. Calls may be lost, or come without a change: while the database
   * reports no writes, they come at an interval.
   *
   * @param onState called with the error each time that the database fails to report writes, and with null when it does
   * @param lookMs the interval
   * @returns a function that ends the calls
   */
  watch(onChange: () => void, onState: (error: unknown) => void, lookMs: number): () => Promise<void>
}
