import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { servers } from '../../support/run-servers.js'
import { bareImport, bareIndex } from '../bare-fts5.js'
import { busyMemory } from '../busy-memory.js'
import { dataOf, importSkills, startService, timeCommand } from '../embedded-catalog.js'
import { diskBytes, type Memory } from '../footprint.js'
import { mixedQueries } from '../queries.js'
import { fillRawMeilisearch } from '../raw-meilisearch.js'
import { type RecordSet, sampleOf, writeSeeded } from '../record-sets.js'
import { type Measure, median, type Part, type Percentiles, percentiles, threeDigits } from '../report.js'
import { catalogSearch, httpSystem, searchTimes } from '../search-system.js'

const size = 62_500

const runs = 3

/** Searches before the memory is read. */
const searches = 2_000

export const storage: Part = {
  name: 'storage',
  summary: `import, index, disk, memory and start of ${size.toLocaleString('en')} seeded skills in a folder`,
  measure: measureStorage,
}

async function measureStorage(folder: string): Promise<Measure[]> {
  const set = await writeSeeded(size, folder)
  const imports: number[] = []
  const filled: number[] = []
  const filledWithoutVectors: number[] = []
  const meilisearchFills: number[] = []
  const bareTables: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const own = join(folder, `import-${run}`)
    const importMs = await importSkills(own, set.path)
    imports.push(importMs)
    filled.push(importMs + (await timeCommand(own, ['sync'])))
    const words = join(folder, `words-${run}`)
    const wordsEnv = { EMBEDDER: 'off' }
    const importWordsMs = await importSkills(words, set.path, wordsEnv)
    filledWithoutVectors.push(importWordsMs + (await timeCommand(words, ['sync'], wordsEnv)))
    if (servers.meilisearch.found()) {
      meilisearchFills.push(await fillRawMeilisearch(set, join(folder, `meilisearch-${run}`)))
    }
    bareTables.push(await bareImport(set, join(folder, `table-${run}.db`)))
  }
  const kept = join(folder, 'import-0')
  const imported = diskBytes(dataOf(kept))
  const { rebuilds, bareIndexes, height } = await measureRebuilds(set, kept, folder)
  const rebuilt = diskBytes(dataOf(kept))
  const { starts, residents, busy, besideRebuild } = await measureService(set, kept)
  const perSecond = (ms: number) => (size / ms) * 1_000
  const toSource = (bytes: number) => bytes / set.sizeBytes
  const rates = (times: number[]) => `${times.map((ms) => Math.round(perSecond(ms))).join(', ')} a second`
  const toMeilisearch = (name: string, times: number[]): Measure[] =>
    meilisearchFills.length === 0
      ? []
      : [
          {
            name,
            value: median(meilisearchFills) / median(times),
            unit: '× raw Meilisearch',
            aim: { atLeast: 1 },
            detail: `${rates(times)}; raw Meilisearch, by words: ${rates(meilisearchFills)}`,
          },
        ]
  return [
    {
      name: 'import without index, with the start of the command',
      value: perSecond(median(imports)),
      unit: 'records a second',
      aim: { atLeast: 20_000 },
      detail: `${rates(imports)}; one bare table: ${rates(bareTables)}`,
    },
    ...toMeilisearch('import with index and vectors', filled),
    ...toMeilisearch('import with index, without vectors', filledWithoutVectors),
    {
      name: 'rebuild, without vectors',
      value: median(bareIndexes) / median(rebuilds),
      unit: '× one bare FTS5 index',
      aim: { atLeast: 0.5 },
      detail: `${rates(rebuilds)}; bare index: ${rates(bareIndexes)}`,
    },
    onDisk('on disk after the import', toSource(imported), 5),
    onDisk('at the height of a rebuild', toSource(height), 8),
    onDisk('after the rebuild', toSource(rebuilt), 5),
    {
      name: 'searches during a rebuild, p50',
      value: median(besideRebuild.map(({ during, idle }) => during.p50Ms / idle.p50Ms)),
      unit: '× without',
      aim: { atMost: 1.3 },
      detail: besideRebuild
        .map(
          ({ during, idle }) =>
            `p50 ${threeDigits(during.p50Ms)} to ${threeDigits(idle.p50Ms)}, p95 ${threeDigits(during.p95Ms)} to ${threeDigits(idle.p95Ms)} ms`,
        )
        .join('; '),
    },
    memoryMeasure('resident memory after searches', residents),
    memoryMeasure('highest resident memory, searched during an import and a download', busy, { atMost: 300 }),
    {
      name: 'start, until it answers',
      value: median(starts) / 1_000,
      unit: 's',
      aim: { atMost: 1 },
      detail: `${starts.map((ms) => threeDigits(ms / 1_000)).join(', ')} s`,
    },
  ]
}

const memoryMeasure = (name: string, read: Memory[], aim?: Measure['aim']): Measure => ({
  name,
  value: median(read.map(({ residentBytes }) => residentBytes)) / 1e6,
  unit: 'MB',
  aim,
  detail: `of it mapped files: ${threeDigits(median(read.map(({ mappedBytes }) => mappedBytes)) / 1e6)} MB`,
})

const onDisk = (name: string, value: number, atMost: number): Measure => ({
  name,
  value,
  unit: '× the source',
  aim: { atMost },
  detail: 'the data folder, with vectors',
})

/** The times of rebuilds without vectors, and the height of the disk during one with vectors. */
async function measureRebuilds(set: RecordSet, kept: string, folder: string) {
  const rebuilds: number[] = []
  const bareIndexes: number[] = []
  const plain = join(folder, 'import-1')
  for (let run = 0; run < runs; run += 1) {
    rebuilds.push(await timeCommand(plain, ['rebuild'], { EMBEDDER: 'off' }))
    bareIndexes.push(await bareIndex(set, join(folder, `index-${run}.db`)))
  }
  let height = 0
  let isRunning = true
  const watching = (async () => {
    while (isRunning) {
      height = Math.max(height, diskBytes(dataOf(kept)))
      await sleep(100)
    }
  })()
  await timeCommand(kept, ['rebuild'])
  isRunning = false
  await watching
  return { rebuilds, bareIndexes, height }
}

async function measureService(set: RecordSet, kept: string) {
  const next = mixedQueries(await sampleOf(set))
  const starts: number[] = []
  const residents: Memory[] = []
  const busy: Memory[] = []
  const besideRebuild: { during: Percentiles; idle: Percentiles }[] = []
  await timeCommand(kept, ['export'])
  for (let run = 0; run < runs; run += 1) {
    const service = await startService(kept)
    starts.push(service.startMs)
    const lane = httpSystem('embedded', service.url, catalogSearch()).openLane()
    await searchTimes(lane, next(searches))
    residents.push(service.memory())
    busy.push(await busyMemory(service, { size, folder: kept, lane, queries: next(searches) }))
    const idle = percentiles(await searchTimes(lane, next(searches)))
    const during: number[] = []
    let isRunning = true
    const rebuilding = timeCommand(kept, ['rebuild']).finally(() => {
      isRunning = false
    })
    while (isRunning) {
      during.push(...(await searchTimes(lane, next(10))))
    }
    await rebuilding
    besideRebuild.push({ during: percentiles(during), idle })
    lane.close()
    await service.stop()
  }
  return { starts, residents, busy, besideRebuild }
}
