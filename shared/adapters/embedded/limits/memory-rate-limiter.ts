import Limiter from 'koa-ratelimit/limiter/redis.js'
import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../../ports/rate-limiter.js'
import { SlidingLog } from '../../limits/sliding-log.js'

export interface MemoryRateLimiterOptions {
  /** Clients kept at the same time, over all policies. Default 50,000: at most about 50 MB. */
  maxClients?: number
  /**
   * The time in milliseconds, for tests. Default: the driver's own monotonic clock, so that setting the wall clock
   * neither opens nor closes a window.
   */
  clock?: () => number
}

/** Counts requests of clients in this process: koa-ratelimit's sliding-log driver over a bounded log in memory. */
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
    const { remaining, resetAtMs } = await this.#ask(policy, client, false)
    return { policy, admitted: remaining > 0, remaining: Math.max(0, remaining - 1), resetAtMs }
  }

  async peek(policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    const { remaining, resetAtMs } = await this.#ask(policy, client, true)
    return { policy, admitted: remaining > 0, remaining, resetAtMs }
  }

  /** `remaining` is the number before this request. */
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
          // The remaining wait, rounded up and added to the wall clock, with which `now` may differ.
          return [remaining, Math.ceil(resetMs - now), max]
        },
      },
    })
    const { remaining, reset: waitMs } = await limiter.get({ peek })
    return { remaining, resetAtMs: (this.#clock?.() ?? Date.now()) + waitMs }
  }

  async close(): Promise<void> {}
}
