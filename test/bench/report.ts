const percentile = (times: number[], share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1)
/** Of times in milliseconds, ascending. */
export const spread = (times: number[]): string => `p50 ${percentile(times, 0.5)} ms, p95 ${percentile(times, 0.95)} ms`
/** How many that is in a second, in words. */
export const perSecond = (count: number, ms: number): string =>
  `${Math.round((count / ms) * 1_000).toLocaleString('en')} a second`
/** How fast something was, set against a baseline. */
export const ratio = (baselineMs: number, ms: number): string => `${(baselineMs / ms).toFixed(2)} ×`
/** One line of the table. */
export const row = (name: string, value: string, comparison: string): void =>
  print(`${name.padEnd(24)}${value.padEnd(34)}${comparison}`)
/** Prints a line. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
