import { Registry } from 'prom-client'
import { computeStats } from '../../services/indexer/jobs/compute-stats.js'
import { logChanges } from '../../services/indexer/jobs/log-changes.js'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { syncSkills } from '../../services/indexer/jobs/sync-skills.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import { runJob } from '../../services/indexer/run-job.js'
import { createApp } from '../../services/query/app.js'
import { type RunningServer, startServer } from '../../services/query/server.js'
import { MemoryRateLimiter } from '../../shared/adapters/embedded/memory-rate-limiter.js'
import { openStores, type Stores } from '../../shared/adapters/open.js'
import { GridFsExportStore } from '../../shared/adapters/servers/gridfs-export-store.js'
import { MeiliSearchIndex } from '../../shared/adapters/servers/meili-search-index.js'
import { MongoCatalogStore } from '../../shared/adapters/servers/mongo-catalog-store.js'
import { MongoChangeLog } from '../../shared/adapters/servers/mongo-change-log.js'
import { connectMongo } from '../../shared/adapters/servers/mongo-connection.js'
import { ensureIndexes } from '../../shared/adapters/servers/mongo-indexes.js'
import { RedisRateLimiter } from '../../shared/adapters/servers/redis-rate-limiter.js'
import { defaultDocumentSettings } from '../../shared/document-settings.js'
import type { RateLimiter } from '../../shared/ports/rate-limiter.js'
import { freshDatabase } from '../support/mongo-database.js'
import { meiliKey } from '../support/servers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'
import { records } from './catalog.js'

/** The query service over the shared catalog, in one of the modes. */
export interface ServedMode {
  url: string
  close(): Promise<void>
}

export async function serveEmbedded(): Promise<ServedMode> {
  const stores = await openStores(
    { mode: 'embedded', dataDir: temporaryFolder(), logLevel: 'silent' },
    { threads: false, writes: true, patienceMs: 0, log: silentLog() },
  )
  return serve(stores, new MemoryRateLimiter())
}

export async function serveServers(urls: { mongodb: string; meilisearch: string; redis: string }): Promise<ServedMode> {
  const log = silentLog()
  const connection = await connectMongo(freshDatabase(urls.mongodb))
  await ensureIndexes(connection.db, defaultDocumentSettings.changedField)
  const catalog = new MongoCatalogStore(connection, defaultDocumentSettings)
  const index = new MeiliSearchIndex({ url: urls.meilisearch, key: meiliKey, prefix: 'equality_' })
  await index.prepare()
  const exports = new GridFsExportStore({ db: connection.db, log })
  const limiter = await RedisRateLimiter.open({ url: urls.redis, log })
  const changes = new MongoChangeLog(connection.db)
  const close = async () => {
    await index.close()
    await catalog.close()
  }
  return serve({ catalog, index, exports, changes, close }, limiter)
}

/** Fills the stores with the catalog, by the indexer's own jobs, and serves them. */
async function serve(stores: Stores, rateLimiter: RateLimiter): Promise<ServedMode> {
  const log = silentLog()
  const { catalog } = stores
  await catalog.put('skills', records.skills)
  await catalog.put('prompts', records.prompts)
  await catalog.put('organizations', records.organizations)
  for (const job of [syncSkills, logChanges, rebuildIndex, writeExports, computeStats]) {
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
