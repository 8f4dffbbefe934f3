import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Skill } from '../../shared/records/skill.js'
import { servers } from '../support/run-servers.js'
import { openBareFts5 } from './bare-fts5.js'
import { type Comparison, compareSearches } from './compare-searches.js'
import { type MeasuredHostile, measureHostile } from './costliest-query.js'
import { type CatalogTimes, dataOf, makeCatalog, makeCatalogOnly, startService } from './embedded-catalog.js'
import { diskBytes, type Footprint } from './footprint.js'
import { hostileQueries } from './hostile-queries.js'
import { type RunningProcess, startProcess } from './processes.js'
import { mixedQueries, nameBeginnings } from './queries.js'
import { startRawMeilisearch } from './raw-meilisearch.js'
import { type RecordSet, sampleOf } from './record-sets.js'
import { row } from './report.js'
import { catalogSearch, catalogSuggest, httpSystem, type SearchSystem } from './search-system.js'
import { printComparison, printFootprints, printHostile } from './tables.js'

/** More records take raw Meilisearch longer to index than all else. */
const maxMeilisearchRecords = 250_000

/** The results of a record set. */
export interface EmbeddedResults {
  set: Omit<RecordSet, 'path'>
  startMs: number
  /** Null: only searches were measured. */
  catalog: CatalogTimes | null
  search: Comparison
  suggest: Comparison
  hostile: MeasuredHostile[]
  footprints: Footprint[]
  /** Why raw Meilisearch was left out; null: it was not. */
  leftOut: string | null
}

/** A system of this benchmark. */
type StoppableSystem = SearchSystem & { footprint(): Footprint; stop(): Promise<void> }

/**
 * Measures the embedded mode on a record set, and prints the results.
 *
 * @param folder an empty one but for the set; contains all data afterwards
 * @param options.searchesOnly neither import and rebuild are measured, nor the bare SQLite that they are compared with
 */
export async function measureEmbedded(
  set: RecordSet,
  folder: string,
  { hasMeilisearch, searchesOnly }: { hasMeilisearch: boolean; searchesOnly: boolean },
): Promise<EmbeddedResults> {
  const sample = await sampleOf(set)
  const barePath = join(folder, 'bare.db')
  const catalog = searchesOnly ? null : await makeCatalog(set, folder, barePath)
  if (searchesOnly) {
    await makeCatalogOnly(set, folder)
  }
  const leftOut = whyLeftOut(set, hasMeilisearch)
  if (leftOut !== null) {
    row('left out', 'raw Meilisearch', leftOut)
  }
  const systems: StoppableSystem[] = []
  try {
    const service = await startService(folder)
    row('start-up', `${Math.round(service.startMs)} ms`, 'from the command to the first answer')
    systems.push(embeddedService(service, folder))
    if (leftOut === null) {
      systems.push(await startRawMeilisearch(set, join(folder, 'meilisearch')))
    }
    systems.push(...(searchesOnly ? [] : [bareFts5(barePath)]), await startBareHttp(folder, sample))

    const modes = [
      httpSystem('embedded, words only', service.url, catalogSearch('keyword')),
      httpSystem('embedded, meaning only', service.url, catalogSearch('semantic')),
    ]
    const search = await compareSearches('mixed queries', [...systems, ...modes], mixedQueries(sample))
    printComparison(search)
    const completions = [httpSystem('suggest', service.url, catalogSuggest)]
    const suggest = await compareSearches('beginnings of names', completions, nameBeginnings(sample))
    printComparison(suggest)
    const hostile = await measureHostile(systems, hostileQueries(sample))
    printHostile(hostile)
    const footprints = systems.map((system) => system.footprint())
    printFootprints(footprints, set.sizeBytes)

    const { path: _path, ...described } = set
    const { startMs } = service
    return { set: described, startMs, catalog, search, suggest, hostile, footprints, leftOut }
  } finally {
    for (const system of systems) {
      await system.stop()
    }
  }
}

function whyLeftOut({ records }: RecordSet, hasMeilisearch: boolean): string | null {
  if (!hasMeilisearch) {
    return `it is missing: ${servers.meilisearch.remedy}`
  }
  return records > maxMeilisearchRecords
    ? `it is compared up to ${maxMeilisearchRecords.toLocaleString('en')} records`
    : null
}

function embeddedService({ url, memory, stop }: RunningProcess, folder: string): StoppableSystem {
  const name = 'embedded service'
  const path = dataOf(folder)
  return {
    ...httpSystem(name, url, catalogSearch()),
    footprint: () => ({ name, memory: memory(), diskBytes: diskBytes(path) }),
    stop,
  }
}

function bareFts5(path: string): StoppableSystem {
  const { name, openLane, close } = openBareFts5(path)
  return {
    name,
    openLane,
    footprint: () => ({ name, memory: null, diskBytes: diskBytes(path) }),
    stop: async () => close(),
  }
}

/** Starts the handler that answers each request with the same 20 records. */
async function startBareHttp(folder: string, sample: Skill[]): Promise<StoppableSystem> {
  const path = join(folder, 'answer.json')
  writeFileSync(path, JSON.stringify({ data: sample.slice(0, 20) }))
  const { url, memory, stop } = await startProcess('test/bench/bare-http.ts', [path], {})
  const name = 'bare node:http'
  return {
    ...httpSystem(name, url, catalogSearch()),
    footprint: () => ({ name, memory: memory(), diskBytes: null }),
    stop,
  }
}
