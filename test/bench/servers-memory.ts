import { setTimeout as sleep } from 'node:timers/promises'
import { formatBytes } from '../../shared/text/format-numbers.js'
import { askAtOnce, openLanes } from './compare-searches.js'
import type { RunningProcess } from './processes.js'
import { mixedQueries } from './queries.js'
import { row } from './report.js'
import { catalogSearch, httpSystem } from './search-system.js'
import { type ServersBench, sampleSeeded } from './servers-bench.js'

/** Queries that are sent before the time is checked. */
const queriesAtOnce = 2_000

/** The resident memory of both services, in bytes, after each minute of searches and changes. */
export async function measureMemory(
  bench: ServersBench,
  services: Record<'indexer' | 'query', RunningProcess>,
  minutes: number,
): Promise<Record<'indexer' | 'query', number>[]> {
  const { skills } = bench
  const queries = mixedQueries(sampleSeeded(bench))(queriesAtOnce)
  const lanes = openLanes(httpSystem('query service', services.query.url, catalogSearch()))
  const ids = await skills.distinct('_id', { archived: false })
  const measured = []
  for (let minute = 1; minute <= minutes; minute += 1) {
    const until = performance.now() + 60_000
    const searching = (async () => {
      while (performance.now() < until) {
        await askAtOnce(lanes, queries)
      }
    })()
    for (const _id of ids.slice((minute % 4) * 500).slice(0, 500)) {
      await skills.updateOne({ _id }, { $set: { stars: Math.floor(Math.random() * 1e6), updatedAt: new Date() } })
      await sleep(100)
    }
    await searching
    const query = services.query.memory().residentBytes
    const indexer = services.indexer.memory().residentBytes
    row(`memory, minute ${minute}`, `query ${formatBytes(query)}, indexer ${formatBytes(indexer)}`, 'resident')
    measured.push({ query, indexer })
  }
  for (const lane of lanes) {
    lane.close()
  }
  return measured
}
