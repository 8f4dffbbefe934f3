import Koa from 'koa'
import type { Embedder, Reranker } from '../../shared/ports/embedder.js'
import type { RateLimiter, RateLimitPolicy } from '../../shared/ports/rate-limiter.js'
import type { Logger } from '../../shared/runtime/log.js'
import { healthPaths, type Operations, ReadinessCheck } from '../../shared/runtime/operations.js'
import type { QueryConfig } from '../../shared/runtime/query-config.js'
import { stateKeys } from '../../shared/state-keys.js'
import { StatsCache } from './endpoints/stats.js'
import { endpoints } from './endpoints.js'
import { type Backends, type BackendsFor, type CallsAtOnce, guardBackends } from './observability/backends.js'
import { logRefused, logRequest, observeRequest, QueryMetrics } from './observability/requests.js'
import { sendProblem } from './pages/send-problem.js'
import {
  answerOptions,
  answerPreflight,
  checkHost,
  checkMethod,
  checkOrigin,
  checkTarget,
  identifyRequest,
  isPreflight,
  normalizeTarget,
  publicOrigin,
  sendHealth,
} from './request/admit.js'
import { type RefusedRequest, refusedEvent } from './request/client-errors.js'
import type { EndpointDeps, RequestContext, RequestState } from './request/endpoint.js'
import { ListCache } from './request/list-cache.js'
import { RateLimits } from './request/rate-limits.js'
import { answerWith, Routes } from './request/routes.js'
import { RequestPace } from './request/server.js'
import { QueryVectors } from './skills/query-vectors.js'
import { SecondStage } from './skills/second-stage.js'

export interface QueryDeps extends Backends {
  config: Pick<
    QueryConfig,
    'publicUrl' | 'trustedProxies' | 'rateLimitPerMinute' | 'exportRateLimitPerMinute' | 'datasetRateLimitPerMinute'
  >
  /** Null where skills are found by their words only. */
  embedder: Embedder | null
  /** Default null: none puts the first hits in order. */
  reranker?: Reranker | null
  rateLimiter: RateLimiter
  callsAtOnce: CallsAtOnce
  log: Logger
  /** Receives the metrics and the readiness check of the service. */
  operations: Pick<Operations, 'metrics' | 'watch'>
  /** Requests a run of the export job; called when no export files exist yet. */
  requestExport?: () => void
  /** Epoch milliseconds; the wall clock by default. */
  clock?: () => number
  /** Time limit of one call to a backend, default 5,000. */
  timeLimitMs?: number
}

/** Creates the query service: the steps of every request in order, then its endpoint. */
export function createApp(deps: QueryDeps): Koa<RequestState> {
  const { config, log, rateLimiter, operations, embedder, reranker = null, clock = Date.now, timeLimitMs } = deps
  const backendsFor = guardBackends(deps, { log, clock, timeLimitMs })
  const { catalog, index, exports } = backendsFor()
  // By the cheapest call of each backend.
  const readiness = new ReadinessCheck(
    {
      catalog: () => catalog.readState(stateKeys.stats),
      search: () => index.status(),
      exports: () => exports.snapshots(),
    },
    clock,
  )
  operations.watch(readiness)
  const metrics = new QueryMetrics(operations.metrics, rateLimiter)
  const routes = new Routes(endpoints)
  const limits = new RateLimits({
    limiter: rateLimiter,
    policies: policies(config),
    trustedProxies: config.trustedProxies,
    clock,
    onDecision: (decision) => metrics.counted(decision),
  })
  const depsFor = createEndpointDeps(backendsFor, {
    config,
    embedder,
    reranker,
    log,
    clock,
    onDegraded: () => metrics.searchDegraded(),
    requestExport: deps.requestExport ?? (() => {}),
  })
  const app = new Koa<RequestState>()
  const pace = new RequestPace()
  app.use(async (ctx) => {
    identifyRequest(ctx)
    normalizeTarget(ctx)
    routes.note(ctx)
    metrics.began()
    observeRequest(ctx, (end) => {
      logRequest(log, ctx, end)
      metrics.ended(ctx, end)
    })
    try {
      checkHost(ctx)
      // Health checks wait for no turn, and are not rate limited.
      if (healthPaths.includes(ctx.path) && (await sendHealth(ctx, readiness))) {
        return
      }
      const turn = pace.turn()
      if (turn !== null) {
        await turn
      }
      await answer(ctx)
    } catch (thrown) {
      await sendProblem(ctx, thrown, log)
    }
  })
  /** @throws AppError that is the answer instead */
  const answer = async (ctx: RequestContext): Promise<void> => {
    const refusal = await limits.count(ctx)
    if (isPreflight(ctx)) {
      return answerPreflight(ctx)
    }
    if (refusal !== null) {
      throw refusal
    }
    checkTarget(ctx)
    checkMethod(ctx)
    checkOrigin(ctx, config)
    const { found, client } = ctx.state
    if (answerOptions(ctx)) {
      return
    }
    if (found === undefined) {
      throw routes.refusalOf(ctx)
    }
    // Backends share their capacity fairly among clients.
    await answerWith(ctx, found, depsFor(client))
  }
  app.on(refusedEvent, (refused: RefusedRequest) => {
    logRefused(log, refused)
    metrics.refused(refused)
  })
  // Only responses that fail after their first byte get here: all other errors have become problem details above.
  app.on('error', (error: NodeJS.ErrnoException, ctx?: { state?: Partial<RequestState> }) => {
    const clientLeft = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '')
    log[clientLeft ? 'debug' : 'error']({ requestId: ctx?.state?.requestId, err: error }, 'response interrupted')
  })
  return app
}

/** Every rate limit policy, the narrowest first. */
const policies = (config: QueryDeps['config']): RateLimitPolicy[] => [
  { name: 'export', quota: config.exportRateLimitPerMinute, windowSeconds: 60 },
  { name: 'dataset', quota: config.datasetRateLimitPerMinute, windowSeconds: 60 },
  { name: 'default', quota: config.rateLimitPerMinute, windowSeconds: 60 },
]

interface EndpointDepsOptions
  extends Required<Pick<QueryDeps, 'embedder' | 'reranker' | 'log' | 'clock' | 'requestExport'>> {
  config: Pick<QueryConfig, 'publicUrl' | 'trustedProxies'>
  /** Called for each search whose text got no vector, or whose hits the reranker did not put in order. */
  onDegraded: () => void
}

/**
 * Creates what endpoints depend on.
 *
 * @param backendsFor with their time limits, see `guardBackends`
 * @returns the dependencies of an endpoint that answers a client, by its key; without one, the service itself
 */
export function createEndpointDeps(
  backendsFor: BackendsFor,
  { config, embedder, reranker, log, clock, onDegraded, requestExport }: EndpointDepsOptions,
): (client?: string) => EndpointDeps {
  const own = backendsFor()
  const vectors = embedder === null ? null : new QueryVectors({ embedder, log, clock, onUnavailable: onDegraded })
  const secondStage = reranker === null ? null : new SecondStage({ reranker, log, clock, onUnavailable: onDegraded })
  const lists = new ListCache(clock)
  const stats = new StatsCache(() => own.catalog.readState(stateKeys.stats), clock)
  const originOf: EndpointDeps['originOf'] = (header) => publicOrigin(config, header)
  const throttled = throttle(30_000, requestExport, clock)
  return (client) => {
    const { catalog, index, changes, exports, datasets } = backendsFor(client)
    // Member by member, as in `callEndpoint`: with spreads an answer of 30 µs took 5 µs more.
    return {
      catalog,
      index,
      changes,
      exports,
      datasets,
      vectors,
      secondStage,
      lists,
      stats,
      log,
      clock,
      originOf,
      publicUrl: config.publicUrl,
      requestExport: throttled,
    }
  }
}

/**
 * Passes on at most one call per interval; further calls are dropped.
 *
 * @param clock epoch milliseconds
 */
function throttle(intervalMs: number, call: () => void, clock: () => number): () => void {
  let lastMs = Number.NEGATIVE_INFINITY
  return () => {
    if (clock() - lastMs >= intervalMs) {
      lastMs = clock()
      call()
    }
  }
}
