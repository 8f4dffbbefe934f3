import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bareImport, bareIndex } from '../bare-fts5.js'
import { catalog, dataOf, startService } from '../embedded-catalog.js'
import { diskBytes } from '../footprint.js'
import type { Measure, Part } from '../part.js'
import { type RecordSet, sampleOf, writeSeeded } from '../record-sets.js'
import { threeDigits } from '../report.js'
import { catalogSearch, httpSystem } from '../search-system.js'
import { median } from '../statistics.js'

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
  const bareTables: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const own = join(folder, `import-${run}`)
    const importMs = await catalog(own, ['import', set.path, '--type', 'skills', '--no-update', '--json'])
    imports.push(importMs)
    filled.push(importMs + (await catalog(own, ['sync', '--json'])))
    bareTables.push(await bareImport(set, join(folder, `table-${run}.db`)))
  }
  const kept = join(folder, 'import-0')
  const imported = diskBytes(dataOf(kept))
  const { rebuilds, bareIndexes, height } = await measureRebuilds(set, kept, folder)
  const rebuilt = diskBytes(dataOf(kept))
  const { starts, residents, mapped } = await measureService(set, kept)
  const perSecond = (ms: number) => (size / ms) * 1_000
  const toSource = (bytes: number) => bytes / set.sizeBytes
  const rates = (times: number[]) => `${times.map((ms) => Math.round(perSecond(ms))).join(', ')} a second`
  return [
    {
      name: 'import without index, with the start of the command',
      value: perSecond(median(imports)),
      unit: 'records a second',
      aim: { atLeast: 20_000 },
      detail: `${rates(imports)}; one bare table: ${rates(bareTables)}`,
    },
    {
      name: 'import with index and vectors',
      value: perSecond(median(filled)),
      unit: 'records a second',
      aim: null,
      detail: rates(filled),
    },
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
      name: 'resident memory after searches',
      value: median(residents) / 1e6,
      unit: 'MB',
      aim: { atMost: 300 },
      detail: `of it mapped files: ${threeDigits(median(mapped) / 1e6)} MB`,
    },
    {
      name: 'start, until it answers',
      value: median(starts) / 1_000,
      unit: 's',
      aim: { atMost: 1 },
      detail: `${starts.map((ms) => threeDigits(ms / 1_000)).join(', ')} s`,
    },
  ]
}

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
    rebuilds.push(await catalog(plain, ['rebuild', '--json'], { EMBEDDER: 'off' }))
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
  await catalog(kept, ['rebuild', '--json'])
  isRunning = false
  await watching
  return { rebuilds, bareIndexes, height }
}

async function measureService(set: RecordSet, kept: string) {
  const words = (await sampleOf(set)).map(({ name }) => name)
  const starts: number[] = []
  const residents: number[] = []
  const mapped: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const service = await startService(kept)
    starts.push(service.startMs)
    const lane = httpSystem('embedded', service.url, catalogSearch()).openLane()
    for (let asked = 0; asked < searches; asked += 1) {
      await lane.ask(words[(run * searches + asked) % words.length] ?? '')
    }
    lane.close()
    const { residentBytes, mappedBytes } = service.memory()
    residents.push(residentBytes)
    mapped.push(mappedBytes)
    await service.stop()
  }
  return { starts, residents, mapped }
}
