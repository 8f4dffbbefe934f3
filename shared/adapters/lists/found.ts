/** What a list was read from. */
export interface ListVersion {
  /** The latest change of the log; null: not known. */
  changes: number | null
  /** Of the trends, which move without a change of the log; null: not known, or no list by trend. */
  trends: string | null
}

/** When a result was found, and what that cost. */
export interface Found {
  version: ListVersion
  /** As of `performance.now()`. */
  atMs: number
  /** Milliseconds of work. */
  costMs: number
}

/** The least time that a result without a version is kept: as long as a small total on servers. */
const unversionedMs = 5_000

/** As long as clients may keep a list. */
const maxAgeMs = 30_000

/**
 * Whether a kept result can still be used: until the next change, and during writes for a hundred times as long as it
 * took to find, so that at most a hundredth of the time is spent on finding it again. Trends move all at once and seldom:
 * nothing is kept over that.
 *
 * @param version the present one
 */
export function isCurrent(found: Found, { changes, trends }: ListVersion, nowMs: number): boolean {
  if (found.version.trends !== trends) {
    return false
  }
  if (changes !== null && found.version.changes === changes) {
    return true
  }
  const keepMs = Math.max(changes === null ? unversionedMs : 0, 100 * found.costMs)
  return nowMs - found.atMs < Math.min(keepMs, maxAgeMs)
}
