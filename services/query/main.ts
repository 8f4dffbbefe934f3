import {
  openExportCopies,
  openRateLimiter,
  openRemoteJobs,
  openReranker,
  openStores,
} from '../../shared/adapters/open.js'
import { readServersConfig, type ServersConfig } from '../../shared/runtime/config.js'
import { readGroups } from '../../shared/runtime/env.js'
import { checkPort } from '../../shared/runtime/listen.js'
import { type OperationsConfig, openOperations, readOperationsConfig } from '../../shared/runtime/operations.js'
import { type QueryConfig, readQueryConfig } from '../../shared/runtime/query-config.js'
import { runService, type ServiceStart } from '../../shared/runtime/run-service.js'
import { writeExportsName } from '../../shared/state-keys.js'
import { createApp } from './app.js'
import { startServer } from './request/server.js'

/** How long running requests may take to finish on shutdown. */
const requestGraceMs = 8_000

// The query service on servers, started by `npm run start:query`. Any number of instances may run.
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
  await checkPort({ host: query.host, port: query.port, variable: 'PORT' })
  const rateLimiter = await openRateLimiter(shared, log)
  closing.push({ name: 'rate limiter', close: () => rateLimiter.close() })
  const stores = await openStores(shared, {
    threads: true,
    writes: false,
    startTimeoutMs: Number.POSITIVE_INFINITY,
    log,
    signal,
  })
  closing.push({ name: 'stores', close: () => stores.close() })
  const { exports, datasets } = await openExportCopies(stores, query.exportCacheDir, log)
  closing.push({ name: 'export copy', close: () => exports.close() })
  closing.push({ name: 'dataset list', close: () => datasets.close() })
  const jobs = await openRemoteJobs(shared, [{ name: writeExportsName, everySeconds: null }], log)
  closing.push({ name: 'jobs', close: () => jobs.stop(0) })
  const app = createApp({
    config: query,
    ...stores,
    exports,
    datasets,
    rateLimiter,
    log,
    operations,
    // Where that fails, the job's schedule runs it.
    requestExport: () => void jobs.request(writeExportsName).catch(() => undefined),
    reranker: await openReranker(query.reranker),
  })
  const server = await startServer(app, query.host, query.port)
  closing.push({ name: 'server', close: () => server.close(requestGraceMs) })
  log.info({ url: server.url, metrics: operations.url }, 'service started')
  return `Skill Catalog answers at ${server.url}\nCtrl-C stops it.\n`
}
