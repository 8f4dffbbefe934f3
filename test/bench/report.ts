/** Prints a line. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** One line of a list of measures. */
export const row = (name: string, value: string, comparison: string): void =>
  print(`${name.padEnd(26)}${value.padEnd(34)}${comparison}`.trimEnd())

/** Prints a table after an empty line. */
export const printTable = (rows: string[][]): void => print(`\n${formatTable(rows)}`)

/** A table; its first column is aligned to the left, the others to the right. */
export function formatTable(rows: string[][]): string {
  const widths = rows.reduce<number[]>(
    (all, cells) => cells.map((cell, place) => Math.max(all[place] ?? 0, cell.length)),
    [],
  )
  const padded = (cell: string, place: number) =>
    place === 0 ? cell.padEnd(widths[place] ?? 0) : cell.padStart((widths[place] ?? 0) + 3)
  return rows.map((cells) => cells.map(padded).join('').trimEnd()).join('\n')
}

/** `p50 5.80 ms, p95 16.5 ms` */
export const spread = ({ p50Ms, p95Ms }: Percentiles): string =>
  `p50 ${threeDigits(p50Ms)} ms, p95 ${threeDigits(p95Ms)} ms`

/** How many that is in a second, in words. */
export const perSecond = (count: number, ms: number): string =>
  `${Math.round((count / ms) * 1_000).toLocaleString('en')} a second`

/** The speed compared with a baseline. */
export const ratio = (baselineMs: number, ms: number): string => times(baselineMs / ms)

/** `1.25 ×` */
export const times = (factor: number): string => `${threeDigits(factor)} ×`

/** A number with three digits that count: `0.41`, `5.80`, `16.5`, `121`, `1,210`. */
export function threeDigits(value: number): string {
  const decimals = value < 10 ? 2 : value < 100 ? 1 : 0
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

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

/** A part of the benchmark, which can run alone. */
export interface Part {
  /** `paging`, as `--only` names it. */
  name: string
  /** What it measures, in a line. */
  summary: string
  /**
   * Measures it, and prints what it does meanwhile.
   *
   * @param folder an empty one; the caller removes it
   */
  measure(folder: string): Promise<Measure[]>
}

export type Aim = { atLeast: number } | { atMost: number }

/** A line of the benchmark's table. */
export interface Measure {
  /** What was measured: `one skill`. */
  name: string
  /** The median of three runs or more. */
  value: number
  /** `× bare Koa`, `MB`, `s`. */
  unit: string
  /** Absent: it is shown without one. */
  aim?: Aim | undefined
  /** The numbers of which it is made: `4,870 and 7,930 a second`. */
  detail?: string | undefined
}

/** Prints the measures of a part, one a line, each with its aim. */
export function printMeasures({ name, summary }: Part, measures: Measure[]): void {
  print(`\n${name}: ${summary}`)
  printTable([
    ['', 'measured', 'aim', '', ''],
    ...measures.map((measure) => [
      measure.name,
      `${threeDigits(measure.value)} ${measure.unit}`,
      ...aimCells(measure),
      measure.detail ?? '',
    ]),
  ])
}

function aimCells({ value, aim }: Measure): [string, string] {
  if (aim === undefined) {
    return ['', '']
  }
  const [text, isMet] =
    'atLeast' in aim
      ? [`≥ ${threeDigits(aim.atLeast)}`, value >= aim.atLeast]
      : [`≤ ${threeDigits(aim.atMost)}`, value <= aim.atMost]
  return [text, isMet ? 'met' : 'missed']
}
