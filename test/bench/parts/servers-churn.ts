import { setTimeout as sleep } from 'node:timers/promises'
import { startProcess } from '../processes.js'
import { type Measure, type Part, percentiles } from '../report.js'
import { fillCatalog, type ServersBench, untilAllJobsHaveRun, withServersBench } from '../servers-bench.js'

const size = 20_000

const changesPerSecond = 1_000

const churnSeconds = 60

/** Changes that the other application writes in one command. */
const changesPerWrite = 100

/** How often the index is asked for its newest change. */
const sampleEveryMs = 250

const maxWaitMs = 60_000

/** Above all stars of seeded skills: each change sets a higher number. */
const firstStars = 100_000_000

export const serversChurn: Part = {
  name: 'servers-churn',
  summary: `${changesPerSecond.toLocaleString('en')} changes a second for a minute, by another application, over ${size.toLocaleString('en')} seeded skills`,
  measure: (folder) => withServersBench(size, folder, measureChurn),
}

/** The newest change in the index, at a moment of the monotonic clock; -1: none. */
interface Sample {
  atMs: number
  newest: number
}

async function measureChurn(bench: ServersBench): Promise<Measure[]> {
  const env = { ...bench.env, EMBEDDER: 'off' }
  await fillCatalog(bench, env)
  await startProcess('dist/services/indexer/main.js', [], env)
  const ids = (await bench.skills.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id)
  await untilAllJobsHaveRun(bench)
  const writtenAtMs: number[] = []
  const samples: Sample[] = []
  const total = changesPerSecond * churnSeconds
  const startedMs = performance.now()
  const writing = writeChanges(bench, ids, startedMs, writtenAtMs)
  const endMs = startedMs + churnSeconds * 1_000
  let missing = ids.length
  while (missing > 0 && performance.now() < endMs + maxWaitMs) {
    samples.push({ atMs: performance.now(), newest: await newestOf(bench) })
    await sleep(sampleEveryMs)
    missing = performance.now() < endMs ? ids.length : await missingOf(bench, ids.length, total)
  }
  const afterMs = performance.now() - endMs
  await writing
  return measuresOf(samples, writtenAtMs, missing, afterMs)
}

/** Writes each change at its time, late ones at once. @param writtenAtMs receives the time at which each was written */
async function writeChanges(
  { skills }: ServersBench,
  ids: unknown[],
  startedMs: number,
  writtenAtMs: number[],
): Promise<void> {
  for (let next = 0; next < changesPerSecond * churnSeconds; next += changesPerWrite) {
    await sleep(Math.max(0, startedMs + (next / changesPerSecond) * 1_000 - performance.now()))
    const updatedAt = new Date()
    await skills.bulkWrite(
      Array.from({ length: changesPerWrite }, (_, place) => ({
        updateOne: {
          filter: { _id: ids[(next + place) % ids.length] as never },
          update: { $set: { stars: firstStars + next + place, updatedAt } },
        },
      })),
    )
    writtenAtMs.push(...Array.from({ length: changesPerWrite }, () => performance.now()))
  }
}

async function newestOf({ meilisearch }: ServersBench): Promise<number> {
  const { results } = await meilisearch
    .index<{ stars: number }>('skills')
    .getDocuments({ sort: ['stars:desc'], fields: ['stars'], limit: 1 })
  return (results[0]?.stars ?? 0) - firstStars
}

/** How many skills the index has without their last change. */
async function missingOf({ meilisearch }: ServersBench, skills: number, total: number): Promise<number> {
  const { total: found } = await meilisearch
    .index('skills')
    .getDocuments({ filter: `stars >= ${firstStars + total - skills}`, limit: 1 })
  return skills - found
}

function measuresOf(samples: Sample[], writtenAtMs: number[], missing: number, afterMs: number): Measure[] {
  const seen = samples.filter(({ newest }) => newest >= 0)
  // The age of the oldest change that the index lacks.
  const lags = seen.map(({ atMs, newest }) => Math.max(0, atMs - (writtenAtMs[newest + 1] ?? atMs)))
  const back = seen.filter(({ newest }, place) => newest < (seen[place - 1]?.newest ?? -1)).length
  const { p50Ms, p95Ms } = percentiles(lags)
  return [
    {
      name: 'until all have arrived, after the minute',
      value: afterMs / 1_000,
      unit: 's',
      aim: { atMost: 10 },
    },
    {
      name: 'lag meanwhile, p95',
      value: p95Ms / 1_000,
      unit: 's',
      detail: `p50 ${(p50Ms / 1_000).toFixed(2)} s`,
    },
    { name: 'skills without their last change', value: missing, unit: '', aim: { atMost: 0 } },
    { name: 'times the newest change was older than before', value: back, unit: '', aim: { atMost: 0 } },
  ]
}
