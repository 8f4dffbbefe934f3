/**
 * Measures the servers mode, on a seeded catalog (default 20,000 skills):
 *
 *   npm run bench:servers -- 60000 --minutes 10 --json results.json --svg chart.svg
 *
 * Uses the servers of MONGODB_URL, MEILI_URL and REDIS_URL (with MEILI_KEY), else starts its own. Everything is measured
 * from outside, on the built commands and services, and compared with minimal baselines in the same run. `--minutes` adds
 * the memory of both services under load for that time.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { formatBytes } from '../../shared/text/format-numbers.js'
import { drawComparisons } from './chart.js'
import { askAtOnce, type Comparison, compareSearches, openLanes } from './compare-searches.js'
import { measureRebuild } from './parts/servers-import.js'
import { type RunningProcess, startBare, startProcess, withFolder } from './processes.js'
import { mixedQueries } from './queries.js'
import { rawMeilisearch } from './raw-meilisearch.js'
import { sampleSeeded } from './record-sets.js'
import { type Percentiles, percentiles, print, row, spread } from './report.js'
import { describeMachine, outputOptions, writeJson } from './results.js'
import { catalogSearch, httpSystem } from './search-system.js'
import { fillCatalog, type ServersBench, withServersBench } from './servers-bench.js'

const changes = 100

/** Queries that are sent before the time is checked. */
const queriesAtOnce = 2_000

const { values, positionals } = parseArgs({
  options: { ...outputOptions, minutes: { type: 'string', default: '0' } },
  allowPositionals: true,
})

async function measure(bench: ServersBench, minutes: number): Promise<void> {
  const { size, env, meilisearch } = bench
  const machine = describeMachine((await meilisearch.getVersion()).pkgVersion)
  const label = `${size.toLocaleString('en')} seeded skills`
  print(`\n${label}`)
  await fillCatalog(bench)
  const rebuild = await measureRebuild(bench)

  const indexer = await startProcess('dist/services/indexer/main.js', [], env)
  const query = await startProcess('dist/services/query/main.js', [], env)
  const changes = await measureChanges(bench, query.url)
  const searches = await measureSearches(bench, query.url)
  const memory = await measureMemory(bench, { indexer, query }, minutes)
  writeJson(values.json, { machine, size, rebuild, changes, searches, memory })
  drawComparisons(
    values.svg,
    searches.map((search) => ({ ...search, title: `${label}, ${search.title}` })),
  )
}

/** The time from another application's write until the service finds the change. */
async function measureChanges({ skills }: ServersBench, url: string): Promise<Percentiles> {
  const documents = await skills.find({}, { projection: { _id: 1 }, limit: changes }).toArray()
  const times: number[] = []
  for (const [place, { _id }] of documents.entries()) {
    const word = `changed${randomUUID().replaceAll('-', '')}`
    await skills.updateOne({ _id }, { $set: { description: word, updatedAt: new Date() } })
    const startedAt = performance.now()
    while ((await totalOf(url, word)) === 0) {
      await sleep(5)
    }
    times.push(performance.now() - startedAt)
    // At a different point between two syncs each time.
    await sleep((place * 37) % 500)
  }
  const measured = percentiles(times)
  row('change to searchable', spread(measured), 'written to MongoDB by another application')
  return measured
}

async function totalOf(url: string, word: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/skills/search?q=${word}`)
  const { pagination } = (await response.json()) as { pagination: { total: number } }
  return pagination.total
}

/**
 * Compares the query service with a raw Meilisearch that searches the same index, and with bare handlers in front of it:
 * with mixed queries, and with one query again and again.
 */
async function measureSearches(bench: ServersBench, url: string): Promise<Comparison[]> {
  const bare = await startBare('koa with search', '', bench.env)
  const identity = await startBare('koa with search', 'identity', bench.env)
  const systems = [
    httpSystem('query service', url, catalogSearch()),
    httpSystem('query service, words only', url, catalogSearch('keyword')),
    // The whole skill is one attribute: the others serve searches and filters.
    rawMeilisearch(bench.meiliUrl, { attributesToRetrieve: ['skill'] }),
    httpSystem('bare handler', bare.url, catalogSearch()),
    httpSystem('bare handler, identity', identity.url, catalogSearch()),
  ]
  const sample = sampleSeeded(bench)
  // Two words, as people often type.
  const [, query = ''] = mixedQueries(sample)(2)
  return [
    await compareSearches('mixed queries', systems, mixedQueries(sample)),
    await compareSearches(`the same query, “${query}”`, systems, (count) => Array<string>(count).fill(query)),
  ]
}

/** The resident memory of both services, in bytes, after each minute of searches and changes. */
async function measureMemory(
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

const size = Number(positionals[0] ?? 20_000)
await withFolder((folder) => withServersBench(size, folder, (bench) => measure(bench, Number(values.minutes))))
