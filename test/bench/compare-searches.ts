import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NextQueries } from './queries.js'
import { median, percentiles, print, printTable, threeDigits, times } from './report.js'
import { type Lane, type SearchSystem, timed } from './search-system.js'

/** Rounds, of which the median is reported. */
const rounds = 3
const queriesPerRound = 1_000
const warmUpQueries = 200

/** Queries that one system answers at once before the next one has its turn. */
const blockQueries = 250

/** How long the processors are watched before a round. */
const watchMs = 500

/** Searches that are sent at once where throughput is measured. */
const lanesAtOnce = 16

/** How fast a system answers: one search at a time, and with several at once. */
export interface Measures {
  p50Ms: number
  p95Ms: number
  p99Ms: number
  requestsPerSecond: number
}

/** The measures of one system. */
export interface MeasuredSystem extends Measures {
  name: string
  /** The ratio to the baseline; null where there is none. */
  toBaseline: Measures | null
  refused: number
  rounds: Measures[]
}

/** The measures of systems that answered the same queries. */
export interface Comparison {
  title: string
  systems: MeasuredSystem[]
  /** The share of the processors that other programs used before each round. */
  busyShares: number[]
}

/**
 * Compares systems, and prints their measures. In each round they answer the same new queries: first one at a time, the systems in turn for every
 * query, then several at once, each system alone, in turn for every block of queries. A disturbance of the machine meets
 * all systems alike, and a cache helps only with queries that repeat by themselves.
 */
export async function compareSearches(title: string, systems: SearchSystem[], next: NextQueries): Promise<Comparison> {
  const measured = systems.map(({ name }) => ({ name, refused: 0, rounds: [] as Measures[] }))
  const busyShares: number[] = []
  await askInTurn(systems, next(warmUpQueries))
  for (let round = 0; round < rounds; round += 1) {
    busyShares.push(await busyShare())
    const one = await askInTurn(systems, next(queriesPerRound))
    const all = await askInBlocks(systems, next(queriesPerRound))
    for (const [place, each] of measured.entries()) {
      const { msOfEach = [], refused = 0 } = one[place] ?? {}
      const { durationMs = 0, refused: refusedAtOnce = 0 } = all[place] ?? {}
      each.rounds.push({ ...percentiles(msOfEach), requestsPerSecond: (queriesPerRound / durationMs) * 1_000 })
      each.refused += refused + refusedAtOnce
    }
  }
  const comparison = { title, systems: withRatios(systems, measured), busyShares }
  printComparison(comparison)
  return comparison
}

/** Prints the measures of systems, one a line, with their ratios to the baseline where there is one. */
function printComparison({ title, systems, busyShares }: Comparison): void {
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

/** Sends each query to each system in turn. @returns the milliseconds by system, and the number of refused searches */
export async function askInTurn(systems: SearchSystem[], queries: string[]) {
  const lanes = systems.map((system) => ({ lane: system.openLane(), msOfEach: [] as number[], refused: 0 }))
  for (const [place, query] of queries.entries()) {
    // Another system begins each time.
    const first = place % lanes.length
    for (const each of [...lanes.slice(first), ...lanes.slice(0, first)]) {
      const { ms, answered } = await timed(each.lane, query)
      each.msOfEach.push(ms)
      each.refused += answered ? 0 : 1
    }
  }
  for (const { lane } of lanes) {
    lane.close()
  }
  return lanes
}

/** Sends blocks of queries over several lanes to each system in turn. @returns the total of each system */
async function askInBlocks(systems: SearchSystem[], queries: string[]): Promise<AtOnce[]> {
  const totals = systems.map((system) => ({ lanes: openLanes(system), durationMs: 0, refused: 0 }))
  for (let start = 0; start < queries.length; start += blockQueries) {
    for (const total of totals) {
      const { durationMs, refused } = await askAtOnce(total.lanes, queries.slice(start, start + blockQueries))
      total.durationMs += durationMs
      total.refused += refused
    }
  }
  for (const lane of totals.flatMap(({ lanes }) => lanes)) {
    lane.close()
  }
  return totals
}

/** As many connections as carry searches at once. */
export const openLanes = (system: SearchSystem): Lane[] => Array.from({ length: lanesAtOnce }, () => system.openLane())

/** Searches that were sent at once. */
interface AtOnce {
  durationMs: number
  refused: number
}

/** Sends all queries over several lanes; each lane sends the next one as soon as it is free. */
export async function askAtOnce(lanes: Lane[], queries: string[]): Promise<AtOnce> {
  const waiting = queries.values()
  let refused = 0
  const startedAt = performance.now()
  await Promise.all(
    lanes.map(async (lane) => {
      for (const query of waiting) {
        refused += (await lane.ask(query)) ? 0 : 1
      }
    }),
  )
  return { durationMs: performance.now() - startedAt, refused }
}

function withRatios(
  systems: SearchSystem[],
  measured: { name: string; refused: number; rounds: Measures[] }[],
): MeasuredSystem[] {
  const medians = measured.map(({ rounds: all }) => eachMeasure((name) => median(all.map((one) => one[name]))))
  const baseline = medians[systems.findIndex(({ isBaseline }) => isBaseline)]
  return measured.map((one, place) => {
    const own = medians[place] ?? eachMeasure(() => 0)
    const toBaseline = baseline === undefined ? null : eachMeasure((name) => own[name] / baseline[name])
    return { ...one, ...own, toBaseline }
  })
}

const eachMeasure = (of: (name: keyof Measures) => number): Measures => ({
  p50Ms: of('p50Ms'),
  p95Ms: of('p95Ms'),
  p99Ms: of('p99Ms'),
  requestsPerSecond: of('requestsPerSecond'),
})

/** The share of the processors that is busy while the benchmark waits: other programs disturb what is measured next. */
async function busyShare(): Promise<number> {
  const before = spent()
  await sleep(watchMs)
  const after = spent()
  const totalMs = after.totalMs - before.totalMs
  return totalMs === 0 ? 0 : 1 - (after.idleMs - before.idleMs) / totalMs
}

function spent(): { totalMs: number; idleMs: number } {
  const all = cpus().map(({ times }) => times)
  return {
    totalMs: all.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
    idleMs: all.reduce((sum, { idle }) => sum + idle, 0),
  }
}
