/**
 * Measures the servers mode, on a seeded catalog (default 20,000 skills):
 *
 *   npm run bench:servers -- 60000 --minutes 10
 *
 * Uses the servers of MONGODB_URL, MEILI_URL and REDIS_URL (with MEILI_KEY), else starts its own. Everything is measured
 * from outside, on the built commands and services; ratios compare with a minimal baseline in the same run. `--minutes`
 * adds the memory of both services under load for that time.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Meilisearch } from 'meilisearch'
import { type Collection, MongoClient } from 'mongodb'
import { generateSkills } from '../../services/indexer/seed/generate-skills.js'
import { toPublicSkill } from '../../shared/records/skill.js'
import { meiliKey, type RunningServer, type ServerKind, servers, stop } from '../support/run-servers.js'
import { type RunningProcess, runBuilt, startProcess } from './processes.js'
import { perSecond, print, ratio, row, spread } from './report.js'
import { atOnce, makeQueries, serial } from './searches.js'

/** Number of rounds in which the measured program and its baseline alternate. */
const rounds = 3
const changes = 100
const searches = 2_000
const parallel = 16

interface Bench {
  size: number
  env: Record<string, string>
  meilisearch: Meilisearch
  /** The documents as another application, a crawler, would write them. */
  skills: Collection
}

async function measure(bench: Bench, minutes: number): Promise<void> {
  const { size, env } = bench
  print(`\n${size.toLocaleString('en')} seeded skills`)
  await insertSkills(bench)
  await catalog(env, ['sync'])
  await measureRebuild(bench)

  const indexer = await startProcess('dist/services/indexer/main.js', [], env)
  const query = await startProcess('dist/services/query/main.js', [], env)
  try {
    await measureChanges(bench, query.url)
    await measureSearches(bench, query.url)
    if (minutes > 0) {
      await measureMemory(bench, { indexer, query }, minutes)
    }
  } finally {
    await query.stop()
    await indexer.stop()
  }
}

async function insertSkills({ size, skills }: Bench): Promise<void> {
  let batch: Record<string, unknown>[] = []
  for (const skill of generateSkills(size, 1)) {
    const { id: _id, indexedAt: _indexedAt, ...fields } = toPublicSkill(skill)
    batch.push({ ...fields, updatedAt: new Date(fields.updatedAt ?? 0) })
    if (batch.length === 1_000) {
      await skills.insertMany(batch)
      batch = []
    }
  }
  if (batch.length > 0) {
    await skills.insertMany(batch)
  }
}

/** Runs a command of the catalog in its own process, and returns its result. */
async function catalog(env: Bench['env'], args: string[]): Promise<Record<string, unknown>> {
  const output = await runBuilt('services/indexer/cli/main.js', [...args, '--local', '--json'], env)
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '')
}

async function measureRebuild(bench: Bench): Promise<void> {
  const { size, env, meilisearch } = bench
  const settings = await meilisearch.index('skills').getSettings()
  const documents = await readyMadeDocuments(bench)
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await bareFill(meilisearch, settings, documents))
    const { recordsPerSecond } = await catalog(env, ['rebuild'])
    ours.push((size / Number(recordsPerSecond)) * 1_000)
  }
  const [ourMs, bareMs] = [median(ours), median(bare)]
  row('rebuild', perSecond(size, ourMs), `${ratio(bareMs, ourMs)} of a bare script: ${perSecond(size, bareMs)}`)
}

/** Reads the index, to be pushed again by a bare script. */
async function readyMadeDocuments({ meilisearch, size }: Bench): Promise<Record<string, unknown>[][]> {
  const index = meilisearch.index('skills')
  const batches: Record<string, unknown>[][] = []
  for (let offset = 0; offset < size; offset += 5_000) {
    batches.push((await index.getDocuments({ offset, limit: 5_000 })).results)
  }
  return batches
}

/** Fills a fresh index with the official client, without waiting between the posts. */
async function bareFill(client: Meilisearch, settings: object, batches: Record<string, unknown>[][]): Promise<number> {
  const startedAt = performance.now()
  await client.createIndex('bare', { primaryKey: 'key' }).waitTask()
  const index = client.index('bare')
  await index.updateSettings(settings).waitTask()
  const tasks = []
  for (const batch of batches) {
    tasks.push(await index.addDocuments(batch))
  }
  for (const task of tasks) {
    const { status } = await client.tasks.waitForTask(task, { timeout: 600_000 })
    if (status !== 'succeeded') {
      throw new Error(`a task of the bare script ended as ${status}`)
    }
  }
  const ms = performance.now() - startedAt
  await client.deleteIndex('bare').waitTask()
  return ms
}

/** The time from another application's write until the service finds the change. */
async function measureChanges({ skills }: Bench, url: string): Promise<void> {
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
  row('change to searchable', spread(times.sort((a, b) => a - b)), 'written to MongoDB by another application')
}

async function totalOf(url: string, word: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/skills/search?q=${word}`)
  const { pagination } = (await response.json()) as { pagination: { total: number } }
  return pagination.total
}

async function measureSearches({ size, env }: Bench, url: string): Promise<void> {
  const queries = makeQueries(size, searches)
  const bares = await Promise.all(
    ['as-it-comes', 'identity'].map((kind) => startProcess('test/bench/bare-search.ts', [kind], env)),
  )
  const urls = [url, ...bares.map((bare) => bare.url)]
  for (const each of urls) {
    await serial(each, queries.slice(0, 200))
  }
  const times: number[][] = urls.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [place, each] of urls.entries()) {
      times[place]?.push(await atOnce(each, queries, parallel))
    }
  }
  const [ours = 0, plain = 0, identity = 0] = times.map(median)
  const compared = `${ratio(plain, ours)} of a bare handler (${perSecond(searches, plain)}), `
  row(
    `search, ${parallel} at once`,
    perSecond(searches, ours),
    `${compared}${ratio(identity, ours)} of one that asks for identity (${perSecond(searches, identity)})`,
  )
  row('search, one at a time', spread(await serial(url, queries.slice(0, 500))), '')
  for (const bare of bares) {
    await bare.stop()
  }
}

/** The memory of both services while clients search and another application changes documents. */
async function measureMemory(
  { size, skills }: Bench,
  services: Record<'indexer' | 'query', RunningProcess>,
  minutes: number,
): Promise<void> {
  const queries = makeQueries(size, searches)
  const ids = await skills.distinct('_id', { archived: false })
  for (let minute = 1; minute <= minutes; minute += 1) {
    const until = performance.now() + 60_000
    const searching = (async () => {
      while (performance.now() < until) {
        await atOnce(services.query.url, queries, parallel)
      }
    })()
    for (const _id of ids.slice((minute % 4) * 500).slice(0, 500)) {
      await skills.updateOne({ _id }, { $set: { stars: Math.floor(Math.random() * 1e6), updatedAt: new Date() } })
      await sleep(100)
    }
    await searching
    const { indexer, query } = services
    row(`memory, minute ${minute}`, `query ${query.memoryMb()} MB, indexer ${indexer.memoryMb()} MB`, 'resident')
  }
}

const median = (times: number[]): number => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '0' } },
  allowPositionals: true,
})
const folder = mkdtempSync(join(tmpdir(), 'skill-catalog-bench-'))
const started: RunningServer[] = []
const addressOf = async (kind: ServerKind): Promise<string> => {
  const { variable, start } = servers[kind]
  const named = process.env[variable]
  if (named) {
    return named
  }
  const server = await start(mkdtempSync(join(folder, `${kind}-`)))
  started.push(server)
  return server.url
}
try {
  const mongodbUrl = `${await addressOf('mongodb')}/bench-${randomUUID()}`
  const meiliUrl = await addressOf('meilisearch')
  const meilisearch = new Meilisearch({ host: meiliUrl, apiKey: meiliKey })
  if ((await meilisearch.getRawIndexes()).results.some(({ uid }) => uid === 'skills')) {
    throw new Error(`${meiliUrl} already has an index of skills, which this would overwrite: use another Meilisearch`)
  }
  const client = await MongoClient.connect(mongodbUrl)
  const env = {
    MONGODB_URL: mongodbUrl,
    MEILI_URL: meiliUrl,
    MEILI_KEY: meiliKey,
    REDIS_URL: await addressOf('redis'),
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
  }
  const size = Number(positionals[0] ?? 20_000)
  try {
    await measure({ size, env, meilisearch, skills: client.db().collection('skills') }, Number(values.minutes))
  } finally {
    await meilisearch.deleteIndex('skills').waitTask()
    await client.db().dropDatabase()
    await client.close()
  }
} finally {
  for (const server of started) {
    await stop(server)
  }
  rmSync(folder, { recursive: true, force: true })
}
