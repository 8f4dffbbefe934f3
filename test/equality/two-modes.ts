import { Registry } from 'prom-client'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { writeDataset } from '../../services/indexer/jobs/write-dataset.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import type { Job } from '../../services/indexer/runner/job.js'
import { runJob } from '../../services/indexer/runner/run-job.js'
import { createApp } from '../../services/query/app.js'
import { startServer } from '../../services/query/http/server.js'
import { openRateLimiter, openStores } from '../../shared/adapters/open.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import type { SharedConfig } from '../../shared/runtime/config.js'
import { freshDatabase } from '../support/mongo-database.js'
import { meiliKey } from '../support/servers.js'
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

export const serveEmbedded = (records: Records): Promise<ServedMode> =>
  serve({ mode: 'embedded', dataDir: temporaryFolder(), logLevel, skillText: 'cleaned', embedder }, records)

export const serveServers = (
  urls: { mongodb: string; meilisearch: string; redis: string },
  records: Records,
): Promise<ServedMode> =>
  serve(
    {
      mode: 'servers',
      mongodbUrl: freshDatabase(urls.mongodb),
      meiliUrl: urls.meilisearch,
      meiliKey,
      redisUrl: urls.redis,
      rateLimitRedisUrl: urls.redis,
      documents: defaultDocumentSettings,
      logLevel,
      skillText: 'cleaned',
      embedder,
    },
    records,
  )

/** Fills the stores with records, runs the indexer's jobs, and serves them. */
async function serve(config: SharedConfig, records: Records): Promise<ServedMode> {
  const log = silentLog()
  const stores = await openStores(config, { threads: false, writes: true, startTimeoutMs: 0, log })
  const rateLimiter = await openRateLimiter(config, log)
  const run = (job: Job) =>
    runJob(job, {
      ...stores,
      changesKeptDays: 90,
      log,
      signal: new AbortController().signal,
      clock: () => new Date(),
    })
  await stores.catalog.put('prompts', records.prompts)
  await stores.catalog.put('organizations', records.organizations)
  // The servers log what they find at once in an order of their own: the last skills are the latest changes of both modes.
  for (let start = 0; start < records.skills.length; start += 1_000) {
    await stores.catalog.put('skills', records.skills.slice(start, start + 1_000))
    await run(ingest)
  }
  await stores.catalog.keepContents(contents)
  for (const job of [syncIndex, writeExports, writeDataset, computeStats]) {
    await run(job)
  }
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
