/**
 * Passes on at most one call per interval; further calls are dropped.
 *
 * @param clock epoch milliseconds
 */
export function throttle(intervalMs: number, call: () => void, clock: () => number): () => void {
  let lastMs = Number.NEGATIVE_INFINITY
  return () => {
    if (clock() - lastMs >= intervalMs) {
      lastMs = clock()
      call()
    }
  }
}
