import { openExportCopy, openRateLimiter, openRemoteJobs, openStores } from '../../shared/adapters/open.js'
import { readServersConfig, type ServersConfig } from '../../shared/config.js'
import { readGroups } from '../../shared/env.js'
import { writeExportsName } from '../../shared/job-names.js'
import { type OperationsConfig, openOperations, readOperationsConfig } from '../../shared/operations.js'
import type { RemoteJobs } from '../../shared/ports/job-scheduler.js'
import { runService, type ServiceStart } from '../../shared/run-service.js'
import { createApp } from './app.js'
import { type QueryConfig, readQueryConfig } from './config.js'
import { startServer } from './server.js'

/** For how long requests under way may take to end when the service closes. */
const requestGraceMs = 8_000

// The query service on servers: what `npm run start:query` runs. Any number of them may run.
runService(
  () => readGroups({ shared: readServersConfig, query: readQueryConfig, operations: readOperationsConfig }),
  start,
)

async function start(
  config: { shared: ServersConfig; query: QueryConfig; operations: OperationsConfig },
  { log, closing, signal }: ServiceStart,
): Promise<string> {
  const { shared, query } = config
  const operations = await openOperations(config.operations)
  closing.push({ name: 'operations', close: () => operations.close() })
  const rateLimiter = await openRateLimiter(shared, log)
  closing.push({ name: 'rate limiter', close: () => rateLimiter.close() })
  const stores = await openStores(shared, {
    threads: true,
    writes: false,
    patienceMs: Number.POSITIVE_INFINITY,
    log,
    signal,
  })
  closing.push({ name: 'stores', close: () => stores.close() })
  const exports = await openExportCopy(stores.exports, query.exportCacheDir, log)
  closing.push({ name: 'export copy', close: () => exports.close() })
  const jobs = await openRemoteJobs(shared, [{ name: writeExportsName, everySeconds: null }], log)
  closing.push({ name: 'jobs', close: () => jobs.stop(0) })
  const app = createApp({
    config: query,
    ...stores,
    exports,
    rateLimiter,
    log,
    operations,
    requestExport: oneAtATime(jobs, writeExportsName),
  })
  const server = await startServer(app, query.host, query.port)
  closing.push({ name: 'server', close: () => server.close(requestGraceMs) })
  log.info({ url: server.url, metrics: operations.url }, 'service started')
  return `Skill Catalog answers at ${server.url}\nCtrl-C ends it.\n`
}

/** Asks an indexer for a run of a job, unless one that was asked for is still to end. */
function oneAtATime(jobs: RemoteJobs, name: string): () => void {
  let asked = false
  return () => {
    if (!asked) {
      asked = true
      // What became of it is told where it runs; while nobody does, its schedule will.
      void jobs
        .trigger(name)
        .catch(() => undefined)
        .finally(() => {
          asked = false
        })
    }
  }
}
