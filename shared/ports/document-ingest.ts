import type { Fence } from './locks.js'

/** The outcome of an ingest. */
export interface Ingested {
  /** The skills whose change was logged, with the hash of their content; null: no longer published. */
  logged: { id: string; contentHash: string | null }[]
  /** Documents that cannot be published as they are, and the reasons. */
  rejected: { id: string; reason: string }[]
}

/**
 * Follows the writes of other applications and imports to the catalog's database. Only on servers: an embedded
 * catalog logs each change together with its write.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the database does not answer.
 */
export interface DocumentIngest {
  /** Whether documents may wait to be ingested: one read by index. */
  hasNew(): Promise<boolean>

  /**
   * Ingests the next new or changed documents: derives their catalog metadata, and appends the changes of published
   * skills to the change log.
   *
   * @param signal stops it between two documents
   * @returns `more`: whether more documents wait to be ingested
   * @throws AppError `lock_lost` (409) when another holder has appended since; the signal's reason
   */
  ingest(fence: Fence, signal?: AbortSignal): Promise<Ingested & { more: boolean }>

  /**
   * Published skills by id, after `afterId`, with the current hash of their content: for comparisons with the log.
   * Also finds changed documents whose changed-field stayed the same.
   */
  scanHashes(afterId: string | null, limit: number): Promise<{ id: string; contentHash: string }[]>

  /**
   * Ingests the documents of these ids (at most 1,000; of skills, or of dead letters), new or not, and logs the removal
   * of skills without a document.
   *
   * @returns `logged` without the changes that `ingest` would have found
   * @throws AppError `lock_lost` (409) when another holder has appended since
   */
  ingestIds(ids: string[], fence: Fence): Promise<Ingested>

  /**
   * Calls `onChange` soon after other applications have written skills, where the database reports it. Calls may be
   * lost, or come without a change.
   *
   * @param onState called with the error each time that the database fails to report writes, and with null when it does
   * @returns a function that ends the calls
   */
  watch(onChange: () => void, onState: (error: unknown) => void): () => Promise<void>
}
