import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../../ports/rate-limiter.js'
import { SlidingLog } from '../../limits/sliding-log.js'

export interface MemoryRateLimiterOptions {
  /** Clients kept at the same time, over all policies. Default 50,000: at most about 50 MB. */
  maxClients?: number
  /**
   * The time in milliseconds, for tests. Default: a monotonic clock, so that setting the wall clock neither opens nor
   * closes a window.
   */
  clock?: () => number
}

/** Counts requests of clients in this process, in the sliding log that koa-ratelimit's Redis driver keeps in Redis. */
export class MemoryRateLimiter implements RateLimiter {
  /** Always true: this limiter counts only the requests of its own process. */
  readonly alone = false
  readonly #log: SlidingLog
  readonly #clock: (() => number) | undefined

  constructor(options: MemoryRateLimiterOptions = {}) {
    this.#log = new SlidingLog(options.maxClients ?? 50_000)
    this.#clock = options.clock
  }

  /** Number of clients kept, counted once per policy. */
  get clients(): number {
    return this.#log.size
  }

  async consume(policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    return this.#decide(policy, client, false)
  }

  async peek(policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    return this.#decide(policy, client, true)
  }

  #decide(policy: RateLimitPolicy, client: string, peek: boolean): RateLimitDecision {
    const now = this.#clock?.() ?? performance.now()
    const durationMs = policy.windowSeconds * 1_000
    const [left, resetMs] = this.#log.ratelimiter(`rl:${policy.name}:${client}`, now, durationMs, policy.quota, peek)
    // Rounded up, but for the inexactness of the subtraction; added to the wall clock, with which `now` may differ.
    const waitMs = Math.ceil(resetMs - now - 1e-6)
    const resetAtMs = (this.#clock?.() ?? Date.now()) + waitMs
    return { policy, admitted: left > 0, remaining: peek ? left : Math.max(0, left - 1), resetAtMs }
  }

  async close(): Promise<void> {}
}
