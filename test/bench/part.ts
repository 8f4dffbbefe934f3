import { print, printTable, threeDigits } from './report.js'

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

/** The aim, and whether it is met. */
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
