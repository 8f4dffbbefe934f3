/** Percentiles of times, in milliseconds. */
export interface Percentiles {
  p50Ms: number
  p95Ms: number
  p99Ms: number
}

/** The percentiles of times in milliseconds, in any order. */
export function percentiles(times: number[]): Percentiles {
  const ascending = times.toSorted((a, b) => a - b)
  const at = (share: number) => ascending[Math.floor(ascending.length * share)] ?? 0
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }
}

/** The median; of an even number of values the upper one of the middle. */
export const median = (values: number[]): number => percentiles(values).p50Ms
