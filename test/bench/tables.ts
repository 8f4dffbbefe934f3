import { formatBytes } from '../../shared/text/format-numbers.js'
import { type Comparison, lanesAtOnce } from './compare-searches.js'
import type { Footprint } from './footprint.js'
import type { MeasuredHostile } from './hostile-queries.js'
import { print, printTable, threeDigits, times } from './report.js'

/** Prints the measures of systems, one a line, with their ratios to the baseline where there is one. */
export function printComparison({ title, systems, busyShares }: Comparison): void {
  const compared = systems.some(({ toBaseline }) => toBaseline !== null)
  const ratios = (...names: string[]) => (compared ? names : [])
  printTable([
    [title, 'p50 ms', 'p95 ms', 'p99 ms', ...ratios('p50 ratio', 'p95 ratio', 'p99 ratio')].concat(
      `${lanesAtOnce} at once`,
      ratios('ratio'),
      'refused',
    ),
    ...systems.map(({ name, toBaseline, refused, ...own }) => [
      name,
      ...[own.p50Ms, own.p95Ms, own.p99Ms].map(threeDigits),
      ...(toBaseline === null ? [] : [toBaseline.p50Ms, toBaseline.p95Ms, toBaseline.p99Ms].map(times)),
      `${Math.round(own.requestsPerSecond).toLocaleString('en')} a second`,
      ...(toBaseline === null ? [] : [times(toBaseline.requestsPerSecond)]),
      String(refused),
    ]),
  ])
  const shares = busyShares.map((share) => `${Math.round(share * 100)} %`)
  print(`Processors that other programs kept busy before each round: ${shares.join(', ')}`)
}

/** Prints what hostile queries cost, one a line, and the maximum of each system. */
export function printHostile(measured: MeasuredHostile[]): void {
  const names = Object.keys(measured[0]?.systems ?? {})
  const line = (of: (name: string) => number) => names.map((name) => threeDigits(of(name)))
  const max = (measure: 'medianMs' | 'firstMs') =>
    line((name) => Math.max(...measured.map(({ systems }) => systems[name]?.[measure] ?? 0)))
  const refused = names.map((name) => measured.reduce((sum, { systems }) => sum + (systems[name]?.refused ?? 0), 0))
  printTable([
    ['hostile query, median ms', ...names],
    ...measured.map(({ kind, systems }) => [kind, ...line((name) => systems[name]?.medianMs ?? 0)]),
    ['costliest: max of medians', ...max('medianMs')],
    ['max of first runs', ...max('firstMs')],
    ['refused', ...refused.map(String)],
  ])
}

/** Prints the memory of each system, and its size on disk next to the size of the source. */
export function printFootprints(footprints: Footprint[], sourceBytes: number): void {
  const bytes = (value: number | undefined) => (value === undefined ? '–' : formatBytes(value))
  printTable([
    ['after the searches', 'resident', 'of it mapped', 'on disk', 'to the source'],
    ...footprints.map(({ name, memory, diskBytes }) => [
      name,
      bytes(memory?.residentBytes),
      bytes(memory?.mappedBytes),
      bytes(diskBytes ?? undefined),
      diskBytes === null ? '–' : times(diskBytes / sourceBytes),
    ]),
    ['the source', '–', '–', formatBytes(sourceBytes), ''],
  ])
}
