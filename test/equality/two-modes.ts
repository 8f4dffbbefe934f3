import { Registry } from 'prom-client'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import { runJob } from '../../services/indexer/runner/run-job.js'
import { createApp } from '../../services/query/app.js'
import { type RunningServer, startServer } from '../../services/query/http/server.js'
import { MemoryRateLimiter } from '../../shared/adapters/embedded/limits/memory-rate-limiter.js'
import { openStores } from '../../shared/adapters/open.js'
import { GridFsExportStore } from '../../shared/adapters/servers/exports/gridfs-export-store.js'
import { MeiliSearchIndex } from '../../shared/adapters/servers/meili/search-index.js'
import { MongoCatalog } from '../../shared/adapters/servers/mongo/catalog/catalog.js'
import { MongoChangeLog } from '../../shared/adapters/servers/mongo/change-log/change-log.js'
import { connectMongo } from '../../shared/adapters/servers/mongo/connection.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo/indexes.js'
import { MongoIngest } from '../../shared/adapters/servers/mongo/ingest/ingest.js'
import { RedisRateLimiter } from '../../shared/adapters/servers/redis/rate-limiter.js'
import type { Stores } from '../../shared/adapters/stores.js'
import type { RateLimiter } from '../../shared/ports/rate-limiter.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { freshDatabase } from '../support/mongo-database.js'
import { meiliKey } from '../support/servers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import type { Records } from './catalog.js'

/** The query service over the shared catalog, in one of the modes. */
export interface ServedMode {
  url: string
  close(): Promise<void>
}

export async function serveEmbedded(records: Records): Promise<ServedMode> {
  const stores = await openStores(
    { mode: 'embedded', dataDir: temporaryFolder(), logLevel: 'silent' },
    { threads: false, writes: true, startTimeoutMs: 0, log: silentLog() },
  )
  return serve(stores, new MemoryRateLimiter(), records)
}

export async function serveServers(
  urls: { mongodb: string; meilisearch: string; redis: string },
  records: Records,
): Promise<ServedMode> {
  const log = silentLog()
  const connection = await connectMongo(freshDatabase(urls.mongodb))
  await ensureIndexes(connection.db, defaultDocumentSettings.changedField)
  const catalog = new MongoCatalog(connection, defaultDocumentSettings)
  const index = new MeiliSearchIndex({ url: urls.meilisearch, key: meiliKey, prefix: 'equality_' })
  await index.prepare()
  const exports = new GridFsExportStore({ db: connection.db, log })
  const limiter = await RedisRateLimiter.open({ url: urls.redis, log })
  const changes = new MongoChangeLog(connection.db)
  const documents = new MongoIngest(connection.db, defaultDocumentSettings, changes)
  const close = async () => {
    await index.close()
    await catalog.close()
  }
  return serve({ catalog, changes, ingest: documents, index, exports, close }, limiter, records)
}

/** Fills the stores with records, runs the indexer's jobs, and serves them. */
async function serve(stores: Stores, rateLimiter: RateLimiter, records: Records): Promise<ServedMode> {
  const log = silentLog()
  const { catalog } = stores
  await catalog.put('skills', records.skills)
  await catalog.put('prompts', records.prompts)
  await catalog.put('organizations', records.organizations)
  for (const job of [ingest, syncIndex, writeExports, computeStats]) {
    await runJob(job, {
      ...stores,
      changesKeptDays: 90,
      log,
      signal: new AbortController().signal,
      clock: () => new Date(),
    })
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
    },
  })
  const server: RunningServer = await startServer(app, '127.0.0.1', 0)
  return {
    url: server.url,
    async close() {
      await server.close(1_000)
      await rateLimiter.close()
      await stores.close()
    },
  }
}
