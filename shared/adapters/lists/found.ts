/** When a result was found, and what that cost. */
export interface Found {
  /** The version of the catalog; null: not known. */
  version: number | null
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
 * took to find, so that at most a hundredth of the time is spent on finding it again.
 *
 * @param version the present one; null: not known
 */
export function isCurrent(found: Found, version: number | null, nowMs: number): boolean {
  if (version !== null && found.version === version) {
    return true
  }
  const keepMs = Math.max(version === null ? unversionedMs : 0, 100 * found.costMs)
  return nowMs - found.atMs < Math.min(keepMs, maxAgeMs)
}
