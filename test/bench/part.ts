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

/** A line of the benchmark's table. */
export interface Measure {
  /** What was measured: `one skill`. */
  name: string
  /** The median of three runs or more. */
  value: number
  /** `× bare Koa`, `MB`, `s`. */
  unit: string
  /** Null: it is shown without one. */
  aim: { atLeast: number } | { atMost: number } | null
  /** The numbers of which it is made: `4,870 and 7,930 a second`. */
  detail: string
}

/** Whether a measure meets its aim; null: it has none. */
export function isMet({ value, aim }: Measure): boolean | null {
  if (aim === null) {
    return null
  }
  return 'atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost
}

/** Prints the measures of a part, one a line, each with its aim. */
export function printMeasures({ name, summary }: Part, measures: Measure[]): void {
  print(`\n${name}: ${summary}`)
  printTable([
    ['', 'measured', 'aim', '', ''],
    ...measures.map((measure) => [
      measure.name,
      `${threeDigits(measure.value)} ${measure.unit}`,
      aimText(measure),
      { true: 'met', false: 'missed', null: '' }[String(isMet(measure)) as 'true' | 'false' | 'null'],
      measure.detail,
    ]),
  ])
}

function aimText({ aim }: Measure): string {
  if (aim === null) {
    return ''
  }
  return 'atLeast' in aim ? `≥ ${threeDigits(aim.atLeast)}` : `≤ ${threeDigits(aim.atMost)}`
}
