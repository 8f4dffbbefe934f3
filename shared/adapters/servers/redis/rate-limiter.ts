import { once } from 'node:events'
import Limiter from 'koa-ratelimit/limiter/redis.js'
import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../../ports/rate-limiter.js'
import type { Logger } from '../../../runtime/log.js'
import { MemoryRateLimiter } from '../../limits/memory-rate-limiter.js'
import { connectRedis, type RedisClient } from './connect.js'
import { slidingLogCommand } from './sliding-log-command.js'

/** Timeout of a command, sufficient on a busy machine. */
const commandTimeoutMs = 180

/** While Redis is unavailable, one request per this many milliseconds tries it; the others do not wait. */
const probeEveryMs = 500

/** A connection without a response for this long is closed and opened again. */
const socketTimeoutMs = 2_000

/** `open` waits this long for the connection, so that the first requests are counted by all instances. */
const firstConnectionMs = 1_000

export interface RedisRateLimiterOptions {
  /** See `parseRedisAddress`. */
  url: string
  log: Logger
}

/**
 * The response, with a timeout. The client's own timer would also reject a response that has arrived, but that the busy
 * process has not read yet.
 */
function withTimeout<T>(response: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // The event loop reads everything that has arrived before it continues there.
      setImmediate(() => reject(new Error(`no answer within ${timeoutMs} ms`)))
    }, timeoutMs)
    response.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** A client with the command of `slidingLogCommand`. */
type LimiterClient = RedisClient & {
  ratelimiter(key: string, durationMs: number, max: number, peek: '0' | '1'): Promise<[number, number, number]>
}

/**
 * Counts requests in Redis, for all instances together: koa-ratelimit's sliding-log driver with our script.
 *
 * While Redis does not answer in time or refuses to write, each instance counts by itself, with the same quotas. Every
 * admitted request is counted locally as well, so that an exhausted quota stays exhausted when Redis becomes unavailable.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #redis: LimiterClient
  /** For the time that Redis is unavailable. */
  readonly #local = new MemoryRateLimiter()
  readonly #log: Logger
  #isUnavailable = false
  /** Monotonic time. */
  #nextProbeAtMs = 0
  #closed = false

  private constructor({ url, log }: RedisRateLimiterOptions) {
    this.#log = log
    this.#redis = connectRedis(url, {
      // No queue: a late count is useless to the waiting request.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      socketTimeout: socketTimeoutMs,
      connectTimeout: socketTimeoutMs,
      scripts: { ratelimiter: slidingLogCommand },
    }) as LimiterClient
    this.#redis.on('error', (error) => this.#fallBack(error))
    this.#redis.on('ready', () => {
      this.#nextProbeAtMs = 0
    })
  }

  /** Connects; without a connection within a second, requests are counted locally at first. Never throws. */
  static async open(options: RedisRateLimiterOptions): Promise<RedisRateLimiter> {
    const limiter = new RedisRateLimiter(options)
    await once(limiter.#redis, 'ready', { signal: AbortSignal.timeout(firstConnectionMs) }).catch((error) =>
      limiter.#fallBack(error),
    )
    return limiter
  }

  get alone(): boolean {
    return this.#isUnavailable
  }

  async consume(policy: RateLimitPolicy, client: string, withinMs = commandTimeoutMs): Promise<RateLimitDecision> {
    if (this.#isUnavailable && performance.now() < this.#nextProbeAtMs) {
      return this.#local.consume(policy, client)
    }
    this.#nextProbeAtMs = performance.now() + probeEveryMs
    let decision: RateLimitDecision
    try {
      decision = await this.#countShared(policy, client, { peek: false, withinMs })
    } catch (error) {
      this.#fallBack(error)
      return this.#local.consume(policy, client)
    }
    if (decision.admitted) {
      // A refusal does not prove recovery: a full Redis can still refuse requests over the quota.
      this.#recover()
      await this.#local.consume(policy, client)
    }
    return decision
  }

  async peek(policy: RateLimitPolicy, client: string, withinMs = commandTimeoutMs): Promise<RateLimitDecision> {
    if (this.#isUnavailable) {
      // Only a written count proves that Redis has recovered.
      return this.#local.peek(policy, client)
    }
    try {
      return await this.#countShared(policy, client, { peek: true, withinMs })
    } catch (error) {
      this.#fallBack(error)
      return this.#local.peek(policy, client)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#redis.disconnect()
  }

  async #countShared(
    policy: RateLimitPolicy,
    client: string,
    { peek, withinMs }: { peek: boolean; withinMs: number },
  ): Promise<RateLimitDecision> {
    const timeoutMs = Math.min(withinMs, commandTimeoutMs)
    const limiter = new Limiter({
      id: client,
      namespace: `rl:${policy.name}`,
      max: policy.quota,
      duration: policy.windowSeconds * 1_000,
      db: {
        ratelimiter: (key, _nowMs, durationMs, max, peeks) =>
          withTimeout(this.#redis.ratelimiter(key, durationMs, max, peeks), timeoutMs),
      },
    })
    const { remaining, reset: waitMs } = await limiter.get({ peek })
    return {
      policy,
      admitted: remaining > 0,
      remaining: peek ? remaining : Math.max(0, remaining - 1),
      resetAtMs: Date.now() + waitMs,
    }
  }

  #fallBack(error: unknown): void {
    if (!this.#isUnavailable && !this.#closed) {
      this.#isUnavailable = true
      this.#nextProbeAtMs = performance.now() + probeEveryMs
      this.#log.warn({ err: error }, 'rate limits are counted by this instance alone: Redis does not answer')
    }
  }

  #recover(): void {
    if (this.#isUnavailable) {
      this.#isUnavailable = false
      this.#log.info('rate limits are counted by all instances again')
    }
  }
}
