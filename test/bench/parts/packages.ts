import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { servers } from '../../support/run-servers.js'
import { compareSearches, type MeasuredSystem } from '../compare-searches.js'
import { dataOf, importSkills, makeCatalogOnly, startService, timeCommand } from '../embedded-catalog.js'
import { diskBytes } from '../footprint.js'
import { mixedQueries } from '../queries.js'
import { fillRawMeilisearch, startRawMeilisearch } from '../raw-meilisearch.js'
import { type RecordSet, sampleOf, writePackages } from '../record-sets.js'
import { type Measure, type Part, perSecond, print } from '../report.js'
import { catalogSearch, httpSystem, untilFound } from '../search-system.js'

/** How long a service may take to index what was imported next to it. */
const indexedWithinMs = 300_000

/** Real records, and short ones: what a catalog adds to each counts most here. */
export const packages: Part = {
  name: 'packages',
  summary:
    'searches, import and disk of the records of Debian’s package list, to raw Meilisearch with the same records',
  async measure(folder) {
    const set = await writePackages(folder)
    if (set === null || !servers.meilisearch.found()) {
      print(`  skipped: ${set === null ? 'there is no apt-cache' : servers.meilisearch.remedy}`)
      return []
    }
    print(`  ${set.label}, ${(set.sizeBytes / set.records).toFixed(0)} bytes each`)
    return [...(await measureImports(set, folder)), ...(await measureSearches(set, folder))]
  },
}

async function measureImports(set: RecordSet, folder: string): Promise<Measure[]> {
  const { owner, repo } = JSON.parse(readFileSync(set.path, 'utf8').trimEnd().split('\n').at(-1) ?? '{}')
  const last = `${owner}/${repo}`.toLowerCase()
  const rawMs = await fillRawMeilisearch(set, join(folder, 'filled'))
  const alone = join(folder, 'alone')
  const aloneMs = (await importSkills(alone, set.path)) + (await timeCommand(alone, ['sync']))
  const used = join(folder, 'used')
  const service = await startService(used)
  const startedAt = performance.now()
  await timeCommand(used, ['import', set.path, '--type', 'skills'])
  // The index gets the last record last, or with all others.
  await untilFound(service.url, last, last, { everyMs: 100, withinMs: indexedWithinMs })
  const usedMs = performance.now() - startedAt
  // Until the jobs that follow an import have ended.
  await sleep(20_000)
  const toRaw = (name: string, ms: number): Measure => ({
    name,
    value: rawMs / ms,
    unit: '× raw Meilisearch',
    aim: { atLeast: 0.8 },
    detail: `${perSecond(set.records, ms)}; raw Meilisearch, by words: ${perSecond(set.records, rawMs)}`,
  })
  const onDisk = (name: string, path: string): Measure => ({
    name,
    value: diskBytes(dataOf(path)) / set.sizeBytes,
    unit: '× the source',
    aim: { atMost: 5 },
    detail: filesOf(dataOf(path)),
  })
  const measures = [
    toRaw('import with index and vectors', aloneMs),
    toRaw('import with index and vectors into the folder of a running service', usedMs),
    onDisk('on disk', alone),
    onDisk('on disk, in the folder of a running service', used),
  ]
  await service.stop()
  return measures
}

/** The largest files of a folder, in megabytes. */
function filesOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, stats: lstatSync(join(folder, name)) }))
    .filter(({ stats }) => stats.isFile())
    .map(({ name, stats }) => ({ name, bytes: stats.blocks * 512 }))
    .sort((one, other) => other.bytes - one.bytes)
  return files
    .slice(0, 5)
    .map(({ name, bytes }) => `${name} ${(bytes / 1e6).toFixed(1)} MB`)
    .join(', ')
}

async function measureSearches(set: RecordSet, folder: string): Promise<Measure[]> {
  const searched = join(folder, 'alone')
  await makeCatalogOnly(set, searched)
  const service = await startService(searched)
  const raw = await startRawMeilisearch(set, join(folder, 'raw'))
  const byDefault = httpSystem('embedded service', service.url, catalogSearch())
  const byWords = httpSystem('embedded, words only', service.url, catalogSearch('keyword'))
  const queries = mixedQueries(await sampleOf(set))
  const { systems } = await compareSearches(`mixed queries, ${set.label}`, [byWords, byDefault, raw], queries)
  return systems.flatMap((system) => toMeasures(system, system.name === byWords.name ? 1.2 : 1.6))
}

/** @param atMost the aim of the times, to raw Meilisearch */
function toMeasures({ name, p50Ms, p95Ms, requestsPerSecond, toBaseline }: MeasuredSystem, atMost: number): Measure[] {
  if (toBaseline === null || toBaseline.p50Ms === 1) {
    return []
  }
  const unit = '× raw Meilisearch'
  return [
    { name: `${name}, p50`, value: toBaseline.p50Ms, unit, aim: { atMost }, detail: `${p50Ms.toFixed(2)} ms` },
    { name: `${name}, p95`, value: toBaseline.p95Ms, unit, aim: { atMost }, detail: `${p95Ms.toFixed(2)} ms` },
    {
      name: `${name}, 16 at once`,
      value: toBaseline.requestsPerSecond,
      unit,
      aim: { atLeast: 0.6 },
      detail: `${Math.round(requestsPerSecond)} a second`,
    },
  ]
}
