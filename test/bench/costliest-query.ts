import { timed } from './compare-searches.js'
import type { HostileQuery } from './hostile-queries.js'
import type { SearchSystem } from './search-system.js'
import { median } from './statistics.js'

/** Runs of each query. */
const runs = 5

/** What a hostile query costs a system. */
export interface HostileTimes {
  medianMs: number
  /** The first run: a system may keep the result for the others. */
  firstMs: number
  /** Runs that the system refused. */
  refused: number
}

/** What a hostile query costs every system, by name. */
export interface MeasuredHostile extends HostileQuery {
  systems: Record<string, HostileTimes>
}

/** Sends each query several times to each system, one search at a time, the systems in turn. */
export async function measureHostile(systems: SearchSystem[], queries: HostileQuery[]): Promise<MeasuredHostile[]> {
  const measured: MeasuredHostile[] = []
  for (const hostile of queries) {
    const lanes = systems.map(({ name, openLane }) => ({ name, lane: openLane(), times: [] as number[], refused: 0 }))
    for (let run = 0; run < runs; run += 1) {
      for (const each of lanes) {
        const { ms, answered } = await timed(each.lane, hostile.query)
        each.times.push(ms)
        each.refused += answered ? 0 : 1
      }
    }
    const systemTimes = lanes.map(({ name, lane, times, refused }) => {
      lane.close()
      return [name, { medianMs: median(times), firstMs: times[0] ?? 0, refused }] as const
    })
    measured.push({ ...hostile, systems: Object.fromEntries(systemTimes) })
  }
  return measured
}
