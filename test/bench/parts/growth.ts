import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { busyMemory } from '../busy-memory.js'
import { type BarPanel, drawBars } from '../chart.js'
import { dataOf, importSkills, seedSkills, startService, timeCommand } from '../embedded-catalog.js'
import { diskBytes } from '../footprint.js'
import { mixedQueries } from '../queries.js'
import { firstOf, sampleSeeded, seededSkills } from '../record-sets.js'
import {
  type Measure,
  median,
  type Part,
  type Percentiles,
  percentiles,
  print,
  printTable,
  threeDigits,
} from '../report.js'
import { catalogSearch, httpSystem, searchTimes, untilFound } from '../search-system.js'

const sizes = [10_000, 100_000, 500_000, 2_000_000]

/** The largest catalog that is measured unless BENCH_SKILLS says otherwise: the last one takes half an hour alone. */
const defaultSize = 500_000

/** With which the cost of a record in a larger catalog is compared. */
const baseSize = 100_000

const searches = 1_000

const changes = 3

/** What grows with the number of skills, in a folder. */
export const growth: Part = {
  name: 'growth',
  summary: 'seed, index, search, change, rebuild and restart of catalogs of up to 2,000,000 seeded skills in a folder',
  async measure(folder) {
    const grown: Grown[] = []
    const largest = Number(process.env['BENCH_SKILLS'] ?? defaultSize)
    for (const size of sizes.filter((each) => each <= largest)) {
      grown.push(await measureSize(size, join(folder, String(size))))
    }
    printTable(tableOf(grown))
    drawBars(process.env['BENCH_SVG'], 'What grows with the number of skills', panelsOf(grown))
    return measuresOf(grown)
  },
}

/** Times in milliseconds, sizes in bytes. */
interface Grown {
  size: number
  seedMs: number
  indexMs: number
  rebuildMs: number
  startMs: number
  search: Percentiles
  /** Of the searches of `inOtherOrders`. */
  slowestSortedMs: number
  foundMs: number[]
  ownBytes: number
  mappedBytes: number
  diskBytes: number
  /** Of an NDJSON file with the same skills. */
  sourceBytes: number
}

async function measureSize(size: number, folder: string): Promise<Grown> {
  const seedMs = await seedSkills(folder, size)
  const indexMs = await timeCommand(folder, ['sync'])
  const onDisk = diskBytes(dataOf(folder))
  await timeCommand(folder, ['stats'])
  await timeCommand(folder, ['export'])
  const served = await measureService(size, folder)
  const rebuildMs = await timeCommand(folder, ['rebuild'])
  print(`  ${size.toLocaleString('en')} skills: measured`)
  return { size, seedMs, indexMs, rebuildMs, ...served, diskBytes: onDisk, sourceBytes: sourceBytes(size) }
}

async function measureService(size: number, folder: string) {
  const service = await startService(folder)
  const lane = httpSystem('embedded', service.url, catalogSearch()).openLane()
  const next = mixedQueries(sampleSeeded({ size }))
  // The first searches wait until the vectors' codes are read.
  await searchTimes(lane, next(100))
  const search = percentiles(await searchTimes(lane, next(searches)))
  const sorted = httpSystem('sorted', service.url, (query) => ({ path: `/api/v1/skills/search?${query}` })).openLane()
  const slowestSortedMs = Math.max(...(await searchTimes(sorted, inOtherOrders(size))))
  sorted.close()
  const foundMs: number[] = []
  for (let change = 0; change < changes; change += 1) {
    foundMs.push(await timeUntilFound(service.url, size, folder, change))
  }
  const { residentBytes, mappedBytes } = await busyMemory(service, { size, folder, lane, queries: next(searches) })
  lane.close()
  const served = {
    startMs: service.startMs,
    search,
    slowestSortedMs,
    foundMs,
    ownBytes: residentBytes - mappedBytes,
    mappedBytes,
  }
  await service.stop()
  return served
}

/** Searches of a word that a third of the skills have, sorted by a column, or of those that were updated since a day. */
function inOtherOrders(size: number): string[] {
  const days = sampleSeeded({ size })
    .flatMap(({ updatedAt }) => updatedAt?.slice(0, 10) ?? [])
    .sort()
  const since = [0.999, 0.99, 0.9, 0.5].map((share) => `updatedSince=${days[Math.floor(share * days.length)]}`)
  const orders = ['sort=stars', 'sort=name', 'sort=created&order=asc', 'sort=updated']
  const options = [...orders, ...since, ...since.map((each) => `sort=created&${each}`), `mode=semantic&${since[1]}`]
  return options.map((each) => `q=pdf&${each}`)
}

/** How long after its import a changed skill is found by a word that it did not have. */
async function timeUntilFound(url: string, size: number, folder: string, change: number): Promise<number> {
  const [skill] = seededSkills(size)
  if (skill === undefined) {
    throw new Error('there is no skill to change')
  }
  const word = `changedword${'abc'[change]}`
  const path = join(folder, 'changed.ndjson')
  writeFileSync(path, JSON.stringify({ ...skill, description: word }))
  await importSkills(folder, path)
  const importedAt = performance.now()
  await untilFound(url, word, skill.id, { everyMs: 20, withinMs: 60_000 })
  return performance.now() - importedAt
}

/** Estimated from the first 10,000 skills, whose mean length is that of all. */
function sourceBytes(size: number): number {
  const lines = Array.from(firstOf(seededSkills(size), 10_000), (skill) => `${JSON.stringify(skill)}\n`)
  return (Buffer.byteLength(lines.join('')) / lines.length) * size
}

const perSecond = ({ size }: Grown, ms: number) => (size / ms) * 1_000

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`

const tableOf = (grown: Grown[]): string[][] => {
  const line = (name: string, cell: (each: Grown) => string) => [name, ...grown.map(cell)]
  const rate = (each: Grown, ms: number) => `${Math.round(perSecond(each, ms)).toLocaleString('en')}/s`
  return [
    line('', ({ size }) => size.toLocaleString('en')),
    line('seed', (each) => rate(each, each.seedMs)),
    line('first index, with vectors', (each) => rate(each, each.indexMs)),
    line('rebuild, with vectors', (each) => rate(each, each.rebuildMs)),
    line('start', ({ startMs }) => `${threeDigits(startMs / 1_000)} s`),
    line('search p50', ({ search }) => `${threeDigits(search.p50Ms)} ms`),
    line('search p95', ({ search }) => `${threeDigits(search.p95Ms)} ms`),
    line('slowest of another order', ({ slowestSortedMs }) => `${threeDigits(slowestSortedMs)} ms`),
    line('change found', ({ foundMs }) => `${threeDigits(median(foundMs) / 1_000)} s`),
    line('own memory', ({ ownBytes }) => megabytes(ownBytes)),
    line('mapped files', ({ mappedBytes }) => megabytes(mappedBytes)),
    line('on disk', ({ diskBytes: bytes }) => megabytes(bytes)),
    line('on disk, to the source', (each) => `${threeDigits(each.diskBytes / each.sourceBytes)} ×`),
  ]
}

const panelsOf = (grown: Grown[]): BarPanel[] => {
  const group = (label: string, value: (each: Grown) => number) => ({
    label,
    values: Object.fromEntries(grown.map((each) => [`${each.size.toLocaleString('en')} skills`, value(each)])),
  })
  return [
    {
      title: 'Processing a skill',
      unit: 'µs',
      axis: 'microseconds',
      groups: [
        group('seed', ({ seedMs, size }) => (seedMs / size) * 1_000),
        group('first index', ({ indexMs, size }) => (indexMs / size) * 1_000),
        group('rebuild', ({ rebuildMs, size }) => (rebuildMs / size) * 1_000),
      ],
    },
    {
      title: 'Waiting for the service',
      unit: 'ms',
      axis: 'milliseconds',
      groups: [
        group('search p50', ({ search }) => search.p50Ms),
        group('search p95', ({ search }) => search.p95Ms),
        group('change found', ({ foundMs }) => median(foundMs)),
        group('start', ({ startMs }) => startMs),
      ],
    },
  ]
}

/** The largest catalog against the aims. */
function measuresOf(grown: Grown[]): Measure[] {
  const largest = grown.at(-1)
  const base = grown.find(({ size }) => size === baseSize) ?? grown[0]
  if (largest === undefined || base === undefined) {
    throw new Error(`BENCH_SKILLS is at least ${sizes[0]}`)
  }
  const name = `at ${largest.size.toLocaleString('en')}`
  const cost = (what: string, msOf: (each: Grown) => number): Measure => ({
    name: `${what} of a skill ${name}`,
    value: msOf(largest) / largest.size / (msOf(base) / base.size),
    unit: `× that at ${base.size.toLocaleString('en')}`,
    aim: { atMost: 1.3 },
  })
  const whole = (what: string, value: number, unit: string, atMost: number, detail = ''): Measure => ({
    name: `${what} ${name}`,
    value,
    unit,
    aim: { atMost },
    detail,
  })
  return [
    {
      name: `seed ${name}`,
      value: perSecond(largest, largest.seedMs),
      unit: 'skills a second',
      aim: { atLeast: 50_000 },
    },
    cost('seed', ({ seedMs }) => seedMs),
    cost('first index', ({ indexMs }) => indexMs),
    cost('rebuild', ({ rebuildMs }) => rebuildMs),
    whole('start', largest.startMs / 1_000, 's', 5),
    whole('slowest search of a frequent word in another order', largest.slowestSortedMs / 1_000, 's', 1),
    whole(
      'change found',
      median(largest.foundMs) / 1_000,
      's',
      2,
      `slowest ${threeDigits(Math.max(...largest.foundMs) / 1_000)} s`,
    ),
    whole(
      'highest resident memory under searches, an import and a download',
      (largest.ownBytes + largest.mappedBytes) / 2 ** 30,
      'GiB',
      1.5,
      `of it mapped files: ${megabytes(largest.mappedBytes)}`,
    ),
    whole('on disk', largest.diskBytes / largest.sourceBytes, '× the source', 5),
  ]
}
