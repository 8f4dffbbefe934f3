/** The latest change of a skill. */
export interface LoggedChange {
  id: string
  /** Equal for equal public content, except `indexedAt`; null: no longer published. See `contentHash`. */
  contentHash: string | null
  /** Its place in the order of all changes: a whole multiple of `sequenceStep`. */
  sequence: number
  /** When it was logged, ISO-8601. */
  changedAt: string
}

/** The ends of the log. */
export interface LogBounds {
  /** The sequence of the last change; later changes have higher ones. 0: nothing was ever logged. */
  head: number
  /** Removals up to here may have been dropped: a reader at a lower sequence must start again. */
  horizon: number
  /** Whether the log has ever held all published skills; before that, reading it from the start misses some. */
  complete: boolean
  /**
   * Which catalog the log is of: stays through upgrades and restored backups, and differs from that of any other catalog.
   * Null: the log of an earlier version, before its next write.
   */
  catalog: string | null
}

/** A part of the log, in order. */
interface ChangePage extends LogBounds {
  changes: LoggedChange[]
}

/**
 * The changes of published skills in their order: one entry for each id, its latest, which a newer one replaces at a
 * higher sequence. A reader that goes on from the last sequence it has read misses nothing. A skill that was never
 * published has no entry.
 *
 * Sequences only grow, even after the loss of the log: none is lower than the microseconds since 1970 at its writing.
 *
 * Every method throws AppError `catalog_unavailable` (503) when the store does not answer.
 */
export interface ChangeLog {
  /** The current bounds: one read by key. */
  bounds(): Promise<LogBounds>

  /** Entries after a sequence in their order, up to `limit` of them. */
  after(sequence: number, limit: number): Promise<ChangePage>

  /** The last entries, up to `limit` of them, the newest first. */
  latest(limit: number): Promise<LoggedChange[]>

  /** The entries of up to 1,000 ids as readers know them, in no order; ids without one are left out. */
  entriesOf(ids: string[]): Promise<LoggedChange[]>

  /** `entriesOf` for jobs: of any number of ids, and with a batch that is being written. */
  logged(ids: string[]): Promise<LoggedChange[]>

  /** The published entries, by id after `afterId` (null: from the start): for comparisons. */
  listPublished(afterId: string | null, limit: number): Promise<{ id: string; contentHash: string }[]>

  /** The number of published skills in the log: for comparisons. */
  countPublished(): Promise<number>

  /** Drops the removals that were logged before this time. Returns how many. */
  prune(before: Date): Promise<number>
}

/** The distance of two sequences: the numbers between are positions of clients, see `ChangePosition` of the query service. */
export const sequenceStep = 1_000

/** The sequence of the first change of a batch that is appended to this head at this time. */
export const nextSequence = (head: number, at: Date): number =>
  Math.max(head + sequenceStep, at.getTime() * sequenceStep)
