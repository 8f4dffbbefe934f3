import { afterAll, beforeAll, describe } from '@jest/globals'
import { Registry } from 'prom-client'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { writeDataset } from '../../services/indexer/jobs/write-dataset.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import type { Job } from '../../services/indexer/runner/job.js'
import { createApp } from '../../services/query/app.js'
import { startServer } from '../../services/query/request/server.js'
import { loadSample } from '../../services/standalone/greeting.js'
import { openRateLimiter, openStores } from '../../shared/adapters/open.js'
import type { Stores } from '../../shared/adapters/stores.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import type { SharedConfig } from '../../shared/runtime/config.js'
import { stateKeys } from '../../shared/state-keys.js'
import { keepContents } from '../support/keep-contents.js'
import { freshDatabase } from '../support/mongo-database.js'
import { runOnce } from '../support/run-once.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { contents, type Records } from './catalog.js'

/** The query service over the shared catalog, in one of the modes. */
export interface ServedMode {
  url: string
  close(): Promise<void>
}

const logLevel = 'silent'
const embedder = { kind: 'built-in' } as const

/** Runs a job on the stores. */
type RunJob = (job: Job) => Promise<unknown>

/** Puts what a mode serves into its stores. */
type Fill = (stores: Stores, run: RunJob) => Promise<void>

const serveEmbedded = (records: Records): Promise<ServedMode> => serve(embedded(), filledWith(records))

export const serveServers = (urls: ServerUrls, records: Records): Promise<ServedMode> =>
  serve(servers(urls), filledWith(records))

/** The query service over these records. @param urls null: the embedded mode */
export const serveRecords = (urls: ServerUrls | null, records: Records): Promise<ServedMode> =>
  urls === null ? serveEmbedded(records) : serveServers(urls, records)

/** The query service over the project's sample. @param urls null: the embedded mode */
export const serveSample = (urls: ServerUrls | null): Promise<ServedMode> =>
  serve(urls === null ? embedded() : servers(urls), async ({ catalog }, run) => {
    await catalog.writeState(stateKeys.sample, { loaded: false })
    await loadSample(catalog)
    await run(ingest)
    await run(syncIndex)
  })

/** The addresses of the servers. */
export interface ServerUrls {
  mongodb: string
  meilisearch: string
  redis: string
}

/**
 * Defines tests of a service in each mode, which runs while they do; those of a mode whose servers are missing are skipped by
 * name.
 *
 * @param urls null: the embedded mode
 */
export function inBothModes(
  serve: (urls: ServerUrls | null) => Promise<ServedMode>,
  define: (served: () => ServedMode, mode: 'embedded' | 'servers') => void,
): void {
  const inMode = (mode: 'embedded' | 'servers', open: () => Promise<ServedMode>) =>
    describe(mode, () => {
      let served: ServedMode
      beforeAll(async () => {
        served = await open()
      }, 180_000)
      afterAll(() => served?.close())
      define(() => served, mode)
    })
  inMode('embedded', () => serve(null))
  whenServer('mongodb', (mongodb) => {
    whenServer('meilisearch', (meilisearch) => {
      whenServer('redis', (redis) => {
        inMode('servers', () => serve({ mongodb: mongodb(), meilisearch: meilisearch(), redis: redis() }))
      })
    })
  })
}

const embedded = (): SharedConfig => ({
  mode: 'embedded',
  dataDir: temporaryFolder(),
  logLevel,
  skillText: 'cleaned',
  embedder,
})

const servers = (urls: ServerUrls): SharedConfig => ({
  mode: 'servers',
  mongodbUrl: freshDatabase(urls.mongodb),
  meiliUrls: [urls.meilisearch],
  meiliKey,
  redisUrl: urls.redis,
  rateLimitRedisUrl: urls.redis,
  documents: defaultDocumentSettings,
  logLevel,
  skillText: 'cleaned',
  embedder,
})

/** The records of the tests, with everything that the indexer's jobs make of them. */
const filledWith =
  (records: Records): Fill =>
  async ({ catalog }, run) => {
    await catalog.put('prompts', records.prompts)
    await catalog.put('organizations', records.organizations)
    // The servers log what they find at once in an order of their own: the last skills are the latest changes of both
    // modes.
    for (let start = 0; start < records.skills.length; start += 1_000) {
      await catalog.put('skills', records.skills.slice(start, start + 1_000))
      await run(ingest)
    }
    await keepContents(catalog, contents)
    for (const job of [ingest, syncIndex, writeExports, writeDataset, computeStats]) {
      await run(job)
    }
  }

/** The time of the jobs in both modes: names of files have its day. */
const filledAt = new Date()

/** Fills the stores, and serves them. */
async function serve(config: SharedConfig, fill: Fill): Promise<ServedMode> {
  const log = silentLog()
  const stores = await openStores(config, { threads: false, writes: true, startTimeoutMs: 0, log })
  const rateLimiter = await openRateLimiter(config, log)
  await fill(stores, (job) => runOnce(job, stores, { log, clock: () => filledAt }))
  const app = createApp({
    ...stores,
    rateLimiter,
    log,
    operations: { metrics: new Registry(), watch: () => undefined },
    config: {
      publicUrl: 'https://catalog.example',
      trustedProxies: 0,
      rateLimitPerMinute: 100_000,
      exportRateLimitPerMinute: 100_000,
      datasetRateLimitPerMinute: 100_000,
    },
  })
  const server = await startServer(app, '127.0.0.1', 0)
  return {
    url: server.url,
    async close() {
      await server.close(1_000)
      await rateLimiter.close()
      await stores.close()
    },
  }
}
