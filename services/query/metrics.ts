import type { ParameterizedContext } from 'koa'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { RateLimitDecision, RateLimiter } from '../../shared/ports/rate-limiter.js'
import type { RefusedRequest } from './client-errors.js'
import type { RequestEnd, RequestObserver } from './middleware/observe-requests.js'
import type { RequestState } from './middleware/state.js'

/** From an answer out of memory to the time limit of a backend and the length of a download, in seconds. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]

/** The figures of the query service. Labels come from short lists only: never a path, or anything a client made up. */
export class QueryMetrics implements RequestObserver {
  readonly #requests: Counter
  readonly #durations: Histogram
  readonly #underWay: Gauge
  readonly #decisions: Counter

  constructor(registry: Registry, limiter: Pick<RateLimiter, 'alone'>) {
    const registers = [registry]
    this.#requests = new Counter({
      name: 'catalog_http_requests_total',
      help: 'Requests answered, by endpoint, method and status; method unread: it was no HTTP or did not arrive; status aborted: the client left before the end.',
      labelNames: ['endpoint', 'method', 'status'],
      registers,
    })
    this.#durations = new Histogram({
      name: 'catalog_http_request_duration_seconds',
      help: 'From the head of a request to the end of its answer.',
      labelNames: ['endpoint'],
      buckets: durationBuckets,
      registers,
    })
    this.#underWay = new Gauge({
      name: 'catalog_http_requests_under_way',
      help: 'Requests that are being answered now.',
      registers,
    })
    this.#decisions = new Counter({
      name: 'catalog_rate_limit_decisions_total',
      help: 'Requests counted against a limit: admitted or refused.',
      labelNames: ['policy', 'outcome'],
      registers,
    })
    new Gauge({
      name: 'catalog_rate_limit_fallback_active',
      help: 'Whether this instance counts by itself, because Redis does not answer: 1, or 0.',
      registers,
      collect() {
        this.set(limiter.alone ? 1 : 0)
      },
    })
  }

  began(): void {
    this.#underWay.inc()
  }

  ended({ state, method, res }: ParameterizedContext<RequestState>, { seconds, answered }: RequestEnd): void {
    const endpoint = state.found?.endpoint.name ?? 'none'
    this.#underWay.dec()
    this.#requests.inc({
      endpoint,
      method: ['GET', 'HEAD', 'OPTIONS'].includes(method) ? method : 'other',
      status: answered ? res.statusCode : 'aborted',
    })
    this.#durations.observe({ endpoint }, seconds)
  }

  /** A request that could not be read. */
  refused({ status }: RefusedRequest): void {
    this.#requests.inc({ endpoint: 'none', method: 'unread', status })
  }

  counted({ policy, admitted }: RateLimitDecision): void {
    this.#decisions.inc({ policy: policy.name, outcome: admitted ? 'admitted' : 'refused' })
  }
}
