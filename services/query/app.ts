import Koa from 'koa'
import { forClient } from '../../shared/asking-client.js'
import type { Logger } from '../../shared/log.js'
import type { Operations } from '../../shared/operations.js'
import type { RateLimiter, RateLimitPolicy } from '../../shared/ports/rate-limiter.js'
import { ReadinessCheck } from '../../shared/readiness.js'
import { stateKeys } from '../../shared/state-keys.js'
import { atMostEvery } from './at-most-every.js'
import { type Backends, guardBackends } from './backends.js'
import { type RefusedRequest, refusedEvent } from './client-errors.js'
import type { QueryConfig } from './config.js'
import { endpoints } from './endpoints.js'
import { QueryMetrics } from './metrics.js'
import { crossOrigin } from './middleware/cross-origin.js'
import { health } from './middleware/health.js'
import { observeRequests } from './middleware/observe-requests.js'
import { problemDetails } from './middleware/problem-details.js'
import { countRequest, refuseOverLimit } from './middleware/rate-limits.js'
import { readOnly } from './middleware/read-only.js'
import { requestId } from './middleware/request-id.js'
import { checkHost, checkTarget, readableTarget } from './middleware/request-target.js'
import { securityHeaders } from './middleware/security-headers.js'
import type { RequestState } from './middleware/state.js'
import { publicOrigin } from './public-origin.js'
import { logRefused, requestLog } from './request-log.js'
import { answerRequest, findEndpoint, refuseUnknownPath } from './routes.js'
import { StatsCache } from './stats-cache.js'

export interface QueryDeps extends Backends {
  config: Pick<QueryConfig, 'publicUrl' | 'trustedProxies' | 'rateLimitPerMinute' | 'exportRateLimitPerMinute'>
  rateLimiter: RateLimiter
  log: Logger
  /** Is told what there is to watch. */
  operations: Pick<Operations, 'metrics' | 'watch'>
  /** Asks the indexer to write the export files; called when there are none yet. */
  requestExport?: () => void
  /** Epoch milliseconds; the wall clock by default. */
  clock?: () => number
  /** How long one call of a backend may take, default 5,000. */
  timeLimitMs?: number
}

/** The query service: what happens to every request, top to bottom, and where each path goes. */
export function createApp(deps: QueryDeps): Koa<RequestState> {
  const { config, log, rateLimiter, operations, clock = Date.now, timeLimitMs } = deps
  const backends = guardBackends(deps, { log, clock, timeLimitMs })
  const readiness = readinessOf(backends, clock)
  operations.watch(readiness)
  const metrics = new QueryMetrics(operations.metrics, rateLimiter)
  const app = new Koa<RequestState>()
  app.use(requestId())
  app.use(readableTarget())
  app.use(findEndpoint(endpoints))
  app.use(observeRequests(requestLog(log), metrics))
  app.use(problemDetails(log)) // everything below may throw; this answers
  app.use(securityHeaders())
  app.use(checkHost())
  app.use(health(readiness)) // above the limits: /healthz, /readyz
  app.use(
    countRequest({
      limiter: rateLimiter,
      policies: policies(config),
      trustedProxies: config.trustedProxies,
      clock,
      onDecision: (decision) => metrics.counted(decision),
    }),
  )
  app.use((ctx, next) => forClient(ctx.state.client ?? '', next)) // the stores are asked by clients in turn
  app.use(crossOrigin()) // answers preflights
  app.use(refuseOverLimit())
  app.use(checkTarget())
  app.use(readOnly())
  app.use(
    answerRequest({
      ...backends,
      stats: new StatsCache(() => backends.catalog.readState(stateKeys.stats), clock),
      clock,
      originOf: (header) => publicOrigin(config, header),
      requestExport: atMostEvery(30_000, deps.requestExport ?? (() => {}), clock),
    }),
  )
  app.use(refuseUnknownPath(endpoints))
  app.on(refusedEvent, (refused: RefusedRequest) => {
    logRefused(log, refused)
    metrics.refused(refused)
  })
  // Reached only by answers that break off after they began: everything else has become a problem above.
  app.on('error', (error: NodeJS.ErrnoException, ctx?: { state?: Partial<RequestState> }) => {
    const clientLeft = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '')
    log[clientLeft ? 'debug' : 'error']({ requestId: ctx?.state?.requestId, err: error }, 'answer broke off')
  })
  return app
}

/** Asks each backend the least it can be asked. */
const readinessOf = ({ catalog, index, exports }: Backends, clock: () => number): ReadinessCheck =>
  new ReadinessCheck(
    {
      catalog: () => catalog.readState(stateKeys.stats),
      search: () => index.status(),
      exports: () => exports.snapshots(),
    },
    clock,
  )

/** Every quota, the narrowest first. */
const policies = (config: QueryDeps['config']): RateLimitPolicy[] => [
  { name: 'export', quota: config.exportRateLimitPerMinute, windowSeconds: 60 },
  { name: 'default', quota: config.rateLimitPerMinute, windowSeconds: 60 },
]
