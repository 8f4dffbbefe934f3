import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { RateLimitDecision, RateLimiter } from '../../../shared/ports/rate-limiter.js'
import type { Logger } from '../../../shared/runtime/log.js'
import type { RefusedRequest } from '../request/client-errors.js'
import type { RequestContext } from '../request/endpoint.js'
import { clientKey, clientNetwork } from '../request/rate-limits.js'

/** How a request ended. */
export interface RequestEnd {
  seconds: number
  /** False: the client disconnected before the end of the response. */
  answered: boolean
}

/** @param ended called when the response has been sent, or the client has disconnected */
export function observeRequest({ res }: RequestContext, ended: (end: RequestEnd) => void): void {
  const startedMs = performance.now()
  res.once('close', () => ended({ seconds: (performance.now() - startedMs) / 1_000, answered: res.writableFinished }))
}

/**
 * One line for each request, when its response has been sent. Omits the query string, since it has the user's search
 * text, and logs only the network of the client.
 */
export function logRequest(log: Logger, ctx: RequestContext, { seconds, answered }: RequestEnd): void {
  const { requestId, found, client, tool } = ctx.state
  // Requests without rate limits come from health checks, all day long.
  log[client === undefined ? 'debug' : 'info'](
    {
      requestId,
      method: ctx.method,
      path: ctx.path.slice(0, 200),
      endpoint: found?.endpoint.name,
      tool: tool?.name,
      status: ctx.res.statusCode,
      durationMs: Math.round(seconds * 10_000) / 10,
      network: client === undefined ? undefined : clientNetwork(client),
      aborted: answered ? undefined : true,
    },
    'request',
  )
}

/** The same line for a malformed request. */
export const logRefused = (log: Logger, { requestId, status, address }: RefusedRequest): void =>
  log.info({ requestId, status, network: clientNetwork(clientKey(address)) }, 'malformed request refused')

/** Seconds: the shortest for a response from memory, the longest for a download. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]

/** The metrics of the query service. Labels have few values: never a path, or text of a client. */
export class QueryMetrics {
  readonly #requests: Counter
  readonly #durations: Histogram
  readonly #inProgress: Gauge
  readonly #decisions: Counter
  readonly #degraded: Counter
  readonly #toolCalls: Counter

  constructor(registry: Registry, limiter: Pick<RateLimiter, 'alone'>) {
    const registers = [registry]
    this.#requests = new Counter({
      name: 'catalog_http_requests_total',
      help: 'Requests answered, by endpoint, method and status; method unread: it was malformed or incomplete; status aborted: the client disconnected before the end.',
      labelNames: ['endpoint', 'method', 'status'],
      registers,
    })
    this.#durations = new Histogram({
      name: 'catalog_http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its response.',
      labelNames: ['endpoint'],
      buckets: durationBuckets,
      registers,
    })
    this.#inProgress = new Gauge({
      name: 'catalog_http_requests_under_way',
      help: 'Requests in progress.',
      registers,
    })
    this.#decisions = new Counter({
      name: 'catalog_rate_limit_decisions_total',
      help: 'Requests counted against a rate limit, admitted or refused.',
      labelNames: ['policy', 'outcome'],
      registers,
    })
    this.#degraded = new Counter({
      name: 'catalog_search_degraded_total',
      help: 'Searches that went on without the embedder or the reranker, which was unavailable or too slow.',
      registers,
    })
    this.#toolCalls = new Counter({
      name: 'catalog_mcp_tool_calls_total',
      help: 'Calls of MCP tools, by tool and outcome: answered, refused (an error of the client), failed.',
      labelNames: ['tool', 'outcome'],
      registers,
    })
    new Gauge({
      name: 'catalog_rate_limit_fallback_active',
      help: '1 while this instance counts on its own because Redis is unavailable, else 0.',
      registers,
      aggregator: 'max',
      collect() {
        this.set(limiter.alone ? 1 : 0)
      },
    })
  }

  began(): void {
    this.#inProgress.inc()
  }

  ended({ state, method, res }: RequestContext, { seconds, answered }: RequestEnd): void {
    const endpoint = state.found?.endpoint.name ?? 'none'
    this.#inProgress.dec()
    this.#requests.inc({
      endpoint,
      method: ['GET', 'HEAD', 'OPTIONS', 'POST'].includes(method) ? method : 'other',
      status: answered ? res.statusCode : 'aborted',
    })
    this.#durations.observe({ endpoint }, seconds)
    if (state.tool !== undefined) {
      const { name: tool, outcome } = state.tool
      this.#toolCalls.inc({ tool, outcome })
    }
  }

  /** A request that could not be read. */
  refused({ status }: RefusedRequest): void {
    this.#requests.inc({ endpoint: 'none', method: 'unread', status })
  }

  counted({ policy, admitted }: RateLimitDecision): void {
    this.#decisions.inc({ policy: policy.name, outcome: admitted ? 'admitted' : 'refused' })
  }

  /** A search whose text got no vector. */
  searchDegraded(): void {
    this.#degraded.inc()
  }
}
