/** What is to be logged of a skill. */
export interface ChangeDraft {
  id: string
  /** Equal for equal published content; null: it is published no more. */
  contentHash: string | null
}

/** The latest change of a skill. */
export interface LoggedChange extends ChangeDraft {
  /** Its place in the order of all changes: a whole multiple of `sequenceStep`. */
  sequence: number
  /** When it was logged, ISO-8601. */
  changedAt: string
}

/** What a writer adds in one step. */
export interface ChangeBatch {
  /** The head that the writer has decided by: see `append`. */
  onto: number
  /** Each id at most once, in the order in which they are to be told. */
  changes: ChangeDraft[]
  /** How far the catalog's own changes have been logged with this, see `CatalogStore.changesAfter`. */
  watermark: string | null
  /** Whether the log holds with this everything that is published. Once it did, it stays so. */
  complete: boolean
  /** The time of writing. */
  at: Date
}

/** Where the log stands, for who writes it. */
export interface LogPosition {
  /** The sequence of the last change; 0: nothing was ever logged. */
  head: number
  /** As the last batch said. */
  watermark: string | null
  /** Whether any batch was said to complete it: before that, to read it from the start is to miss something. */
  complete: boolean
}

/** A stretch of the log, for who reads it. */
export interface ChangePage extends Pick<LogPosition, 'head' | 'complete'> {
  changes: LoggedChange[]
  horizon: number
}

/**
 * The changes of published skills in their order: one entry for each id, its latest, which a newer one replaces at a
 * higher sequence. Whoever has read up to a sequence and goes on from there misses nothing.
 *
 * Sequences only grow, also over the loss of the log: none is lower than the microseconds since 1970 at its writing.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the store does not answer.
 */
export interface ChangeLog {
  /** Where to go on writing. */
  position(): Promise<LogPosition>

  /**
   * Logs a batch: all of it and its watermark, or nothing. A batch of no changes moves the watermark only.
   *
   * @returns the new head
   * @throws AppError `lock_lost` (409) when the head is not `onto` any more: another writer has logged something that
   * this one has not considered
   */
  append(batch: ChangeBatch): Promise<number>

  /** What is logged of these ids, in no order; those of which nothing is are left out. */
  logged(ids: string[]): Promise<ChangeDraft[]>

  /**
   * Entries behind a sequence in their order, up to `limit` of them, and how far they reach: nothing will be added at or
   * below `head`. Removals up to `horizon` may have been dropped, so that what was read up to a sequence below it cannot
   * be continued from there.
   */
  after(sequence: number, limit: number): Promise<ChangePage>

  /** What is logged as published, by id after `afterId` (null: from the start): for comparing it with the catalog. */
  listPublished(afterId: string | null, limit: number): Promise<{ id: string; contentHash: string }[]>

  /** Drops the removals that were logged before this time. Returns how many. */
  prune(before: Date): Promise<number>
}

/** Readers may mark a position between two changes; see `changePosition` of the query service. */
export const sequenceStep = 1_000

/** The sequence of the first change of a batch that is written at this time onto this head. */
export const nextSequence = (head: number, at: Date): number =>
  Math.max(head + sequenceStep, at.getTime() * sequenceStep)
