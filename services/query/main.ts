import { openRateLimiter, openStores } from '../../shared/adapters/open.js'
import { readServersConfig, type ServersConfig } from '../../shared/config.js'
import { readGroups } from '../../shared/env.js'
import { type OperationsConfig, openOperations, readOperationsConfig } from '../../shared/operations.js'
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
  const app = createApp({ config: query, ...stores, rateLimiter, log, operations })
  const server = await startServer(app, query.host, query.port)
  closing.push({ name: 'server', close: () => server.close(requestGraceMs) })
  log.info({ url: server.url, metrics: operations.url }, 'service started')
  return `Skill Catalog answers at ${server.url}\nCtrl-C ends it.\n`
}
