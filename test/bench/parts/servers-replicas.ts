import { join } from 'node:path'
import { startServer } from '../../support/run-servers.js'
import { compareSearches } from '../compare-searches.js'
import { type RunningProcess, runCommand, startProcess } from '../processes.js'
import { mixedQueries } from '../queries.js'
import { sampleSeeded } from '../record-sets.js'
import type { Measure, Part } from '../report.js'
import { catalogSearch, httpSystem } from '../search-system.js'
import { fillCatalog, type ServersBench, withServersBench } from '../servers-bench.js'

/** Unless BENCH_SKILLS says otherwise. */
const defaultSize = 20_000

/** Numbers of search servers that are compared. */
const counts = [1, 2, 3]

/** Searches a second with one, two and three Meilisearch servers, all on this machine. */
export const serversReplicas: Part = {
  name: 'servers-replicas',
  summary: 'searches with one, two and three Meilisearch servers, which share this machine',
  measure: (folder) => {
    const size = Number(process.env['BENCH_SKILLS'] ?? defaultSize)
    return withServersBench(size, folder, (bench) => measureReplicas(bench, folder))
  },
}

async function measureReplicas(bench: ServersBench, folder: string): Promise<Measure[]> {
  const { env, meiliUrl } = bench
  const sample = sampleSeeded(bench)
  const services: RunningProcess[] = []
  await fillCatalog(bench)
  const urls = [meiliUrl]
  for (const count of counts.slice(1)) {
    urls.push((await startServer('meilisearch', join(folder, `meilisearch-${count}`))).url)
  }
  await runCommand({ ...env, MEILI_URL: urls.join(',') }, ['sync', '--local'])
  for (const count of counts) {
    const meiliUrls = urls.slice(0, count).join(',')
    services.push(await startProcess('dist/services/query/main.js', [], { ...env, MEILI_URL: meiliUrls }))
  }
  const measures: Measure[] = []
  for (const [title, mode] of [
    ['by words and meaning', undefined],
    ['by words', 'keyword'],
  ] as const) {
    const systems = services.map(({ url }, at) => httpSystem(`${counts[at]}`, url, catalogSearch(mode)))
    const comparison = await compareSearches(`mixed queries, ${title}, by servers`, systems, mixedQueries(sample))
    for (const { name, requestsPerSecond, p50Ms, p95Ms, refused } of comparison.systems) {
      measures.push({
        name: `${name === '1' ? '1 server' : `${name} servers`}, ${title}, 16 at once`,
        value: requestsPerSecond,
        unit: 'a second',
        detail: `one at a time p50 ${p50Ms.toFixed(2)}, p95 ${p95Ms.toFixed(2)} ms; ${refused} refused`,
      })
    }
  }
  return measures
}
