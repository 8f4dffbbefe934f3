/**
 * A call that is passed on at most once in a while; what comes in between is dropped.
 *
 * @param clock epoch milliseconds
 */
export function atMostEvery(intervalMs: number, call: () => void, clock: () => number): () => void {
  let lastMs = Number.NEGATIVE_INFINITY
  return () => {
    if (clock() - lastMs >= intervalMs) {
      lastMs = clock()
      call()
    }
  }
}
