import cluster from 'node:cluster'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { openReranker, openStores } from '../../../shared/adapters/open.js'
import type { ServiceStart } from '../../../shared/runtime/run-service.js'
import { createApp } from '../../query/app.js'
import { serveConnections } from '../../query/request/server.js'
import { requestGraceMs, type StandaloneConfig, searchThreads } from '../config.js'
import { handed, isMessage, taken } from './connections.js'
import { PrimaryRateLimiter, ProcessCalls } from './process-calls.js'

const callTimeoutMs = 5_000

const metrics = new Registry()

const asked = new EventTarget()

const primary = new ProcessCalls(process, {
  metrics: () => metrics.getMetricsAsJSON(),
  close: () => void asked.dispatchEvent(new Event('close')),
})

/** Resolves when the primary process asks this one to end. */
export const primaryAsksToClose = (): Promise<string> => once(asked, 'close').then(() => 'the primary process')

/** Starts a worker process: it answers requests, and leaves jobs, limits and metrics to the primary process. */
export async function startWorker(config: StandaloneConfig, { log, closing, signal }: ServiceStart): Promise<string> {
  const ownLog = log.child({ worker: cluster.worker?.id })
  if (config.operations.port !== 0) {
    collectDefaultMetrics({ register: metrics })
  }
  const stores = await openStores(config.shared, {
    threads: true,
    searchThreads: searchThreads(config),
    writes: false,
    startTimeoutMs: 0,
    log: ownLog,
  })
  closing.push({ name: 'stores', close: () => stores.close() })
  const app = createApp({
    config: config.query,
    ...stores,
    reranker: await openReranker(config.query.reranker),
    rateLimiter: new PrimaryRateLimiter(primary),
    log: ownLog,
    operations: { metrics, watch: () => undefined },
    requestExport: () => void primary.call('requestExport', [], callTimeoutMs).catch(() => undefined),
  })
  signal.throwIfAborted()
  const server = serveConnections(app)
  closing.push({ name: 'server', close: () => server.close(requestGraceMs) })
  process.on('message', (message, connection) => {
    if (isMessage(message, handed)) {
      process.send?.(taken)
      // A connection that its client has closed meanwhile does not arrive.
      if (connection instanceof Socket) {
        server.serve(connection)
      }
    }
  })
  await primary.call('started', [], callTimeoutMs)
  return ''
}
