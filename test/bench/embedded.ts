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
import { formatBytes } from '../../shared/text/format-numbers.js'
import { servers } from '../support/run-servers.js'
import { openBareFts5 } from './bare-fts5.js'
import { drawComparisons } from './chart.js'
import { type Comparison, compareSearches } from './compare-searches.js'
import { type CatalogTimes, dataOf, makeCatalog, makeCatalogOnly, startService } from './embedded-catalog.js'
import { diskBytes, type Memory } from './footprint.js'
import { hostileQueries, type MeasuredHostile, measureHostile } from './hostile-queries.js'
import { startBare, withFolder } from './processes.js'
import { mixedQueries, nameBeginnings } from './queries.js'
import { startRawMeilisearch } from './raw-meilisearch.js'
import { type RecordSet, sampleOf, writeRepeated, writeSeeded } from './record-sets.js'
import { print, printTable, row, times } from './report.js'
import { describeMachine, installedMeilisearch, outputOptions, writeJson } from './results.js'
import { catalogSearch, catalogSuggest, httpSystem, type OccupyingSystem } from './search-system.js'

/** More records take raw Meilisearch longer to index than all else. */
const maxMeilisearchRecords = 250_000

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

/** What a system occupies after the searches; null: nothing that can be measured apart. */
interface Footprint {
  name: string
  memory: Memory | null
  diskBytes: number | null
}

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
  const service = await startService(folder)
  row('start-up', `${Math.round(service.startMs)} ms`, 'from the command to the first answer')
  // A handler that answers each request with the same 20 records.
  const answer = join(folder, 'answer.json')
  writeFileSync(answer, JSON.stringify({ data: sample.slice(0, 20) }))
  const bare = await startBare('node:http', answer)
  const occupying: OccupyingSystem[] = [
    { ...httpSystem('embedded service', service.url, catalogSearch()), process: service, path: dataOf(folder) },
    ...(leftOut === null ? [await startRawMeilisearch(set, join(folder, 'meilisearch'))] : []),
    ...(searchesOnly ? [] : [{ ...openBareFts5(barePath), process: null, path: barePath }]),
    { ...httpSystem('bare node:http', bare.url, catalogSearch()), process: bare, path: null },
  ]

  const modes = [
    httpSystem('embedded, words only', service.url, catalogSearch('keyword')),
    httpSystem('embedded, meaning only', service.url, catalogSearch('semantic')),
  ]
  const search = await compareSearches('mixed queries', [...occupying, ...modes], mixedQueries(sample))
  const completions = [httpSystem('suggest', service.url, catalogSuggest)]
  const suggest = await compareSearches('beginnings of names', completions, nameBeginnings(sample))
  const hostile = await measureHostile(occupying, hostileQueries(sample))
  const footprints = occupying.map(({ name, process, path }) => ({
    name,
    memory: process?.memory() ?? null,
    diskBytes: path === null ? null : diskBytes(path),
  }))
  printFootprints(footprints, set.sizeBytes)

  const { path: _path, ...described } = set
  const { startMs } = service
  return { set: described, startMs, catalog, search, suggest, hostile, footprints, leftOut }
}

function whyLeftOut({ records }: RecordSet, hasMeilisearch: boolean): string | null {
  if (!hasMeilisearch) {
    return `it is missing: ${servers.meilisearch.remedy}`
  }
  return records > maxMeilisearchRecords
    ? `it is compared up to ${maxMeilisearchRecords.toLocaleString('en')} records`
    : null
}

/** Prints the memory of each system, and its size on disk next to the size of the source. */
function printFootprints(footprints: Footprint[], sourceBytes: number): void {
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
drawComparisons(
  values.svg,
  sets.map(({ set, search }) => ({ ...search, title: `${set.label}, ${search.title}` })),
)
