import Limiter from 'koa-ratelimit/limiter/redis.js'
import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../ports/rate-limiter.js'
import { SlidingLog } from '../sliding-log.js'

export interface MemoryRateLimiterOptions {
  /** Clients that are remembered at the same time, over all policies. Default 50,000: some 50 MB at the most. */
  maxClients?: number
  /**
   * The time in milliseconds, for tests. By default the driver's own: it follows the processor and not the wall
   * clock, so that setting the clock neither opens nor closes a window.
   */
  clock?: () => number
}

/** Counts requests of clients in this process: koa-ratelimit's sliding-log driver over a bounded log in memory. */
export class MemoryRateLimiter implements RateLimiter {
  /** One process is all that it is there for. */
  readonly alone = false
  readonly #log: SlidingLog
  readonly #clock: (() => number) | undefined

  constructor(options: MemoryRateLimiterOptions = {}) {
    this.#log = new SlidingLog(options.maxClients ?? 50_000)
    this.#clock = options.clock
  }

  /** How many clients are remembered just now, counted once for each policy. */
  get clients(): number {
    return this.#log.size
  }

  async consume(policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    const { remaining, resetAtMs } = await this.#ask(policy, client, false)
    return { policy, admitted: remaining > 0, remaining: Math.max(0, remaining - 1), resetAtMs }
  }

  async peek(policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    const { remaining, resetAtMs } = await this.#ask(policy, client, true)
    return { policy, admitted: remaining > 0, remaining, resetAtMs }
  }

  /** `remaining` is what was left before this request. */
  async #ask(
    policy: RateLimitPolicy,
    client: string,
    peek: boolean,
  ): Promise<{ remaining: number; resetAtMs: number }> {
    const limiter = new Limiter({
      id: client,
      namespace: `rl:${policy.name}`,
      max: policy.quota,
      duration: policy.windowSeconds * 1_000,
      db: {
        ratelimiter: (key, nowMs, durationMs, max, peeks) => {
          const now = this.#clock?.() ?? nowMs
          const [remaining, resetMs] = this.#log.ratelimiter(key, now, durationMs, max, peeks === '1')
          // The time still to wait, rounded up: it is added to the wall clock, which `now` need not agree with.
          return [remaining, Math.ceil(resetMs - now), max]
        },
      },
    })
    const { remaining, reset: waitMs } = await limiter.get({ peek })
    return { remaining, resetAtMs: (this.#clock?.() ?? Date.now()) + waitMs }
  }

  async close(): Promise<void> {}
}
