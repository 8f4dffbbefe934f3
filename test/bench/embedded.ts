/**
 * Measures the embedded mode, on record sets: seeded ones of the sizes given as arguments (default 10,000 and 250,000),
 * and one of the skills in given files, repeated up to 62,500 records (see `writeRepeated`):
 *
 *   npm run bench:embedded -- 10000 250000
 *   npm run bench:embedded -- skills.ndjson more-skills.csv --json results.json --svg chart.svg
 *   npm run bench:embedded -- 2000000 --searches
 *
 * Everything is measured from outside, on the built commands and the built service, as an operator would see it. Import
 * and rebuild are compared with SQLite with one bare table, and its FTS5 with one bare index. Searches are compared with
 * raw Meilisearch, that FTS5, and a bare HTTP handler, in turn; see `compareSearches`. `--searches` measures only these,
 * without the bare SQLite.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Skill } from '../../shared/records/skill.js'
import { servers } from '../support/run-servers.js'
import { openBareFts5 } from './bare-fts5.js'
import { type Comparison, compareSearches } from './compare-searches.js'
import { type CatalogTimes, dataOf, makeCatalog, makeCatalogOnly, startService } from './embedded-catalog.js'
import { diskBytes, type Footprint } from './footprint.js'
import { hostileQueries, type MeasuredHostile, measureHostile } from './hostile-queries.js'
import { type RunningProcess, startBare, withFolder } from './processes.js'
import { mixedQueries, nameBeginnings } from './queries.js'
import { startRawMeilisearch } from './raw-meilisearch.js'
import { type RecordSet, sampleOf, writeRepeated, writeSeeded } from './record-sets.js'
import { print, row } from './report.js'
import { describeMachine, installedMeilisearch, outputOptions, writeChart, writeJson } from './results.js'
import { catalogSearch, catalogSuggest, httpSystem, type SearchSystem } from './search-system.js'
import { printComparison, printFootprints, printHostile } from './tables.js'

/** More records take raw Meilisearch longer to index than all else. */
const maxMeilisearchRecords = 250_000

/** The results of a record set. */
interface EmbeddedResults {
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
async function measureEmbedded(
  set: RecordSet,
  folder: string,
  { hasMeilisearch, searchesOnly }: { hasMeilisearch: boolean; searchesOnly: boolean },
): Promise<EmbeddedResults> {
  const sample = await sampleOf(set)
  const barePath = join(folder, 'bare.db')
  const catalog = searchesOnly ? await makeCatalogOnly(set, folder) : await makeCatalog(set, folder, barePath)
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
  const { url, memory, stop } = await startBare('node:http', path)
  const name = 'bare node:http'
  return {
    ...httpSystem(name, url, catalogSearch()),
    footprint: () => ({ name, memory: memory(), diskBytes: null }),
    stop,
  }
}

const { values, positionals } = parseArgs({
  options: { ...outputOptions, searches: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const isSize = (argument: string) => /^[1-9]\d*$/.test(argument)
const files = positionals.filter((argument) => !isSize(argument))
for (const file of files.filter((each) => !existsSync(each))) {
  process.stderr.write(`${file} is neither a number of skills nor a file.\n`)
  process.exit(2)
}
const sizes = positionals.length === 0 ? [10_000, 250_000] : positionals.filter(isSize).map(Number)
const writers = [
  ...sizes.map((size) => (folder: string) => writeSeeded(size, folder)),
  ...(files.length === 0 ? [] : [(folder: string) => writeRepeated(files, folder)]),
]

const meilisearch = installedMeilisearch()
const machine = describeMachine(meilisearch)
const sets: EmbeddedResults[] = []
for (const write of writers) {
  const measured = await withFolder(async (folder) => {
    const set = await write(folder)
    print(`\n${set.label}`)
    return measureEmbedded(set, folder, { hasMeilisearch: meilisearch !== null, searchesOnly: values.searches })
  })
  sets.push(measured)
}
writeJson(values.json, { machine, sets })
writeChart(
  values.svg,
  sets.map(({ set, search }) => ({ ...search, title: `${set.label}, ${search.title}` })),
)
