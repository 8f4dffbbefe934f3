import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ownerName } from '../../../services/indexer/seed/generate-records.js'
import { generateSkills } from '../../../services/indexer/seed/generate-skills.js'
import { ListCache } from '../../../services/query/request/list-cache.js'
import { SendableText } from '../../../services/query/request/sendable-text.js'
import { catalogIn as catalogInFile } from '../../../shared/adapters/embedded/sqlite/catalog/catalog.js'
import { SqliteDatabase } from '../../../shared/adapters/embedded/sqlite/database.js'
import { catalogIn } from '../../../shared/adapters/servers/mongo/catalog/catalog.js'
import { connectMongo } from '../../../shared/adapters/servers/mongo/connection.js'
import { ensureIndexes } from '../../../shared/adapters/servers/mongo/indexes.js'
import type { SkillFilters, SkillSort } from '../../../shared/ports/filter-table.js'
import type { PutCounts } from '../../../shared/ports/record-writer.js'
import { defaultDocumentSettings } from '../../../shared/records/document-settings.js'
import { servers, startServer, stop } from '../../support/run-servers.js'
import { seedSkills, timeCommand } from '../embedded-catalog.js'
import { startProcess } from '../processes.js'
import { type Measure, median, type Part, print, threeDigits } from '../report.js'
import { httpSystem } from '../search-system.js'

/** The last row that pages by number reach. */
const reach = 10_000

/** The first and the last pages of a list that are timed in turn, each once: a page that was requested before is kept. */
const [minPages, maxPages] = [5, 25]

/** Skills of the catalog on servers: as many as the MongoDB stand-in holds in its memory with room to spare. */
const skillsOnServers = 12_000

/** A list whose pages are measured. */
interface MeasuredList {
  /** The kind of its filter: `topic`. */
  kind: string
  filters: SkillFilters
  sort: SkillSort
  order: 'asc' | 'desc'
}

/** Filters of seeded skills: each alone, with many and with few matches, and some together. */
const filtersByKind: Record<string, SkillFilters[]> = {
  'no filter': [{}],
  owner: [{ owner: ownerName(0).toLowerCase() }],
  license: [{ license: 'mit' }, { license: 'lgpl-3.0' }],
  language: [{ language: 'python' }, { language: 'rust' }, { language: 'zig' }],
  topic: [{ topics: ['create'] }, { topics: ['school'] }, { topics: ['kitchen'] }],
  'two topics': [{ topics: ['create', 'code'] }],
  archived: [{ archived: false }, { archived: true }],
  minStars: [{ minStars: 1 }, { minStars: 1_000 }],
  updatedSince: [{ updatedSince: '2026-01-01T00:00:00.000Z' }, { updatedSince: '2026-08-01T00:00:00.000Z' }],
  'filters together': [{ license: 'mit', language: 'python', minStars: 10 }],
}

/** Every order of every filter. */
const measuredLists: MeasuredList[] = Object.entries(filtersByKind).flatMap(([kind, alternatives]) =>
  alternatives.flatMap((filters) =>
    (['updated', 'stars', 'created', 'name'] as const).flatMap((sort) =>
      (['asc', 'desc'] as const).map((order) => ({ kind, filters, sort, order })),
    ),
  ),
)

function pathOf({ filters, sort, order }: MeasuredList, limit: number, page: number): string {
  const { topics = [], ...others } = filters
  const parameters = new URLSearchParams({ sort, order, limit: String(limit), page: String(page) })
  for (const [name, value] of [...Object.entries(others), ...topics.map((topic) => ['topic', topic])]) {
    parameters.append(String(name), String(value))
  }
  return `/api/v1/skills?${parameters}`
}

/** Pages by number: what the last ones cost, compared with the first ones. */
export const paging: Part = {
  name: 'paging',
  summary: 'the last pages that numbers reach, compared with the first ones of the same list',
  async measure(folder) {
    return [...(await measureEmbedded(folder)), ...(await measureServers(folder))]
  },
}

/** The times of a list, in milliseconds. */
interface ListTimes {
  list: MeasuredList
  limit: number
  firstMs: number
  lastMs: number
  /** The first request of one of the last pages, which skips all earlier ones. */
  coldMs: number
}

/**
 * Over HTTP, on the built service without its jobs.
 *
 * BENCH_SKILLS is the number of seeded skills; BENCH_DATA a data folder that already has them, and is changed.
 */
async function measureEmbedded(folder: string): Promise<Measure[]> {
  const size = Number(process.env['BENCH_SKILLS'] ?? 100_000)
  const data = process.env['BENCH_DATA'] ?? join(folder, 'data')
  const env = { DATA_DIR: data, PORT: '0', RATE_LIMIT_PER_MINUTE: '1000000', LOG_LEVEL: 'error', EMBEDDER: 'off' }
  if (process.env['BENCH_DATA'] === undefined) {
    await seedSkills(folder, size, env)
  }
  await timeCommand(folder, ['jobs', 'pause'], env)
  const service = await startProcess('dist/services/standalone/main.js', [], env)
  const lane = httpSystem('the service', service.url, (path) => ({ path })).openLane()
  const readPage = async (list: MeasuredList, limit: number, page: number) => {
    if (!(await lane.ask(pathOf(list, limit, page)))) {
      throw new Error(`${pathOf(list, limit, page)} was refused`)
    }
  }
  const totalOf = async (list: MeasuredList) => {
    const answer = await fetch(`${service.url}${pathOf(list, 1, 1)}`)
    return ((await answer.json()) as { pagination: { total: number } }).pagination.total
  }
  const label = `${size.toLocaleString('en')} skills`
  print(`${label}, without writes`)
  const idle = await timeLists(measuredLists, [20, 100], totalOf, readPage)
  print(`${label}, during writes`)
  const writer = writeChanges(data)
  const busy = await timeLists(
    measuredLists.filter(({ kind, order }) => ['no filter', 'license', 'topic'].includes(kind) && order === 'desc'),
    [20],
    totalOf,
    readPage,
  )
  const written = await writer.end()
  const measures = [
    ...measuresOf(label, idle),
    ...measuresOf(`${label}, ${written} changes a second`, busy).slice(-1),
    coldMeasure(label, idle),
  ]
  lane.close()
  await service.stop()
  return measures
}

/** Through the cache of lists and the adapter, on the MongoDB stand-in. */
async function measureServers(folder: string): Promise<Measure[]> {
  if (!servers.mongodb.found()) {
    print(`servers are left out: ${servers.mongodb.remedy}`)
    return []
  }
  const server = await startServer('mongodb', folder, true)
  const { client, db } = await connectMongo(`${server.url}/bench`)
  const catalog = catalogIn({ client, db }, defaultDocumentSettings)
  await ensureIndexes(db, defaultDocumentSettings.changedField)
  print('on servers')
  const skills = [...generateSkills(skillsOnServers, 1)]
  for (let start = 0; start < skills.length; start += 1_000) {
    await catalog.put('skills', skills.slice(start, start + 1_000))
  }
  print('on servers: reads')
  const cache = new ListCache(Date.now)
  const readPage = ({ kind: _kind, ...list }: MeasuredList, limit: number, page: number) =>
    cache.find(catalog, { query: { ...list, limit, offset: (page - 1) * limit }, fields: undefined }, (found) => ({
      text: new SendableText(found.skills.map(({ record }) => record).join()),
      nextCursor: null,
    }))
  const totalOf = async ({ kind: _kind, ...list }: MeasuredList) =>
    (await catalog.listSkills({ ...list, limit: 1 })).total
  const lists = measuredLists.filter(({ kind, order }) => ['no filter', 'license'].includes(kind) && order === 'desc')
  const times = await timeLists(lists, [20], totalOf, readPage)
  const measures = measuresOf(`MongoDB stand-in, ${skillsOnServers.toLocaleString('en')} skills`, times).slice(-1)
  await client.close()
  await stop(server)
  return measures
}

/** Changes skills of the catalog in batches of 100, ten times a second, as a busy crawler does. */
function writeChanges(data: string): { end(): Promise<number> } {
  mkdirSync(join(data, 'locks'), { recursive: true })
  const db = new SqliteDatabase(join(data, 'catalog.db'))
  const catalog = catalogInFile(db, join(data, 'locks'))
  const skills = generateSkills(1_000_000, 2)
  const startedAt = performance.now()
  const written: Promise<PutCounts>[] = []
  const timer = setInterval(() => {
    const batch = Array.from({ length: 100 }, () => skills.next().value).filter((skill) => skill !== undefined)
    written.push(catalog.put('skills', batch))
  }, 100)
  return {
    async end() {
      clearInterval(timer)
      const seconds = (performance.now() - startedAt) / 1_000
      const counts = await Promise.all(written)
      db.close()
      return Math.round(counts.reduce((sum, { added, changed }) => sum + added + changed, 0) / seconds)
    },
  }
}

async function timeLists(
  lists: MeasuredList[],
  limits: number[],
  totalOf: (list: MeasuredList) => Promise<number>,
  readPage: (list: MeasuredList, limit: number, page: number) => Promise<unknown>,
): Promise<ListTimes[]> {
  const times: ListTimes[] = []
  for (const list of lists) {
    const total = Math.min(await totalOf(list), reach)
    for (const limit of limits.filter((each) => total >= 2 * minPages * each)) {
      // Of full pages, as the first ones are.
      const last = Math.floor(total / limit)
      const pages = Math.min(maxPages, Math.floor(last / 2))
      const timed = async (page: number) => {
        const startedAt = performance.now()
        await readPage(list, limit, page)
        return performance.now() - startedAt
      }
      const coldMs = await timed(last - pages)
      const [first, later]: [number[], number[]] = [[], []]
      for (let page = 1; page <= pages; page += 1) {
        first.push(await timed(page))
        later.push(await timed(last - pages + page))
      }
      times.push({ list, limit, firstMs: median(first), lastMs: median(later), coldMs })
    }
  }
  return times
}

/** The worst list of each kind, and the worst one of all at the end. */
function measuresOf(label: string, times: ListTimes[]): Measure[] {
  const worst = (some: ListTimes[]) => some.toSorted((a, b) => b.lastMs / b.firstMs - a.lastMs / a.firstMs)[0]
  const measures = [...new Set(times.map(({ list }) => list.kind)), 'all'].flatMap((kind): Measure[] => {
    const some = times.filter(({ list }) => kind === 'all' || list.kind === kind)
    const found = worst(some)
    if (found === undefined) {
      return []
    }
    const ratios = some.map(({ firstMs, lastMs }) => lastMs / firstMs)
    const { firstMs, lastMs, limit, list } = found
    const name = kind === 'all' ? `${label}: worst of all` : `${label}: ${kind}`
    const where = `${pathOf(list, limit, 1).split('?')[1]}`
    const detail = `${threeDigits(firstMs)} and ${threeDigits(lastMs)} ms at ${where}; median of ${some.length} lists ${threeDigits(median(ratios))} ×`
    return [{ name, value: lastMs / firstMs, unit: '× page 1', aim: { atMost: 1.2 }, detail }]
  })
  return measures
}

function coldMeasure(label: string, times: ListTimes[]): Measure {
  const cold = times.filter(({ limit }) => limit === 20).map(({ coldMs }) => coldMs)
  const detail = `at most ${threeDigits(Math.max(...cold))} ms; the next one costs what page 1 costs`
  return { name: `${label}: first request of a last page`, value: median(cold), unit: 'ms', detail }
}
