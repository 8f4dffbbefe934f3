import { once } from 'node:events'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import Limiter from 'koa-ratelimit/limiter/redis.js'
import type { Logger } from '../../log.js'
import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../ports/rate-limiter.js'
import { MemoryRateLimiter } from '../embedded/memory-rate-limiter.js'
import { slidingLogCommand } from './sliding-log-command.js'

/** Redis has this long to answer, also on a machine that is busy. Local answers take no time. */
const commandTimeoutMs = 180

/** While Redis is away, one request in this many milliseconds asks whether it is back; the others do not wait. */
const probeEveryMs = 500

/** A connection whose server has said nothing to a command for this long is given up and made anew. */
const socketTimeoutMs = 2_000

/** How long opening waits for the first connection, so that the first requests are counted by all instances. */
const firstConnectionMs = 1_000

export interface RedisRateLimiterOptions {
  /** For instance `redis://127.0.0.1:6379/0`. */
  url: string
  log: Logger
  /** Clients that are remembered in this process, for the time that Redis is away. Default 50,000. */
  maxLocalClients?: number
}

/**
 * The answer, if it comes in time. Not by the client's own timer, which also gives up an answer that is there already
 * and that a busy process has not come to read.
 */
async function inTime<T>(answer: Promise<T>, withinMs: number): Promise<T> {
  const timer = new AbortController()
  const timeUp = sleep(withinMs, undefined, { signal: timer.signal }).then(async () => {
    // Everything that has arrived by now is read before the event loop comes here.
    await setImmediate()
    throw new Error(`no answer within ${withinMs} ms`)
  })
  try {
    return await Promise.race([answer, timeUp])
  } finally {
    timer.abort()
    timeUp.catch(() => undefined)
  }
}

/** A client that has been taught the command. */
interface LimiterClient extends Redis {
  ratelimiter(key: string, durationMs: number, max: number, peek: '0' | '1'): Promise<[number, number, number]>
}

/**
 * Counts requests in Redis, for all instances together: koa-ratelimit's sliding-log driver with our script.
 *
 * While Redis does not answer in time or refuses to write, each instance counts for itself, with the same quotas.
 * Every admitted request is noted locally as well, so that who has used up a quota does not get a new one when Redis
 * goes away.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #redis: LimiterClient
  readonly #local: MemoryRateLimiter
  readonly #log: Logger
  #away = false
  /** By the monotonic clock. */
  #nextProbeAtMs = 0
  #closed = false

  private constructor({ url, log, maxLocalClients }: RedisRateLimiterOptions) {
    this.#log = log
    this.#local = new MemoryRateLimiter(maxLocalClients === undefined ? {} : { maxClients: maxLocalClients })
    this.#redis = new Redis(url, {
      // Nothing is kept for later: a count that comes late is worth nothing to the request that waits for it.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      socketTimeout: socketTimeoutMs,
      connectTimeout: socketTimeoutMs,
      retryStrategy: (times) => Math.min(times * 50, 1_000),
      scripts: { ratelimiter: slidingLogCommand },
    }) as LimiterClient
    this.#redis.on('error', (error) => this.#fallBack(error))
    this.#redis.on('ready', () => {
      this.#nextProbeAtMs = 0
    })
  }

  /** Connects; without an answer within a second it begins by counting locally. Never throws. */
  static async open(options: RedisRateLimiterOptions): Promise<RedisRateLimiter> {
    const limiter = new RedisRateLimiter(options)
    await once(limiter.#redis, 'ready', { signal: AbortSignal.timeout(firstConnectionMs) }).catch((error) =>
      limiter.#fallBack(error),
    )
    return limiter
  }

  get alone(): boolean {
    return this.#away
  }

  async consume(policy: RateLimitPolicy, client: string, withinMs = commandTimeoutMs): Promise<RateLimitDecision> {
    if (this.#away && performance.now() < this.#nextProbeAtMs) {
      return this.#local.consume(policy, client)
    }
    this.#nextProbeAtMs = performance.now() + probeEveryMs
    let decision: RateLimitDecision
    try {
      decision = await this.#askShared(policy, client, { peek: false, withinMs })
    } catch (error) {
      this.#fallBack(error)
      return this.#local.consume(policy, client)
    }
    if (decision.admitted) {
      // A refusal proves little: a Redis without memory can still say that one is over a limit.
      this.#comeBack()
      await this.#local.consume(policy, client)
    }
    return decision
  }

  async peek(policy: RateLimitPolicy, client: string, withinMs = commandTimeoutMs): Promise<RateLimitDecision> {
    if (this.#away) {
      // Only a count that has been written shows that Redis is back.
      return this.#local.peek(policy, client)
    }
    try {
      return await this.#askShared(policy, client, { peek: true, withinMs })
    } catch (error) {
      this.#fallBack(error)
      return this.#local.peek(policy, client)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#redis.disconnect()
  }

  async #askShared(
    policy: RateLimitPolicy,
    client: string,
    { peek, withinMs }: { peek: boolean; withinMs: number },
  ): Promise<RateLimitDecision> {
    const timeLimitMs = Math.min(withinMs, commandTimeoutMs)
    const limiter = new Limiter({
      id: client,
      namespace: `rl:${policy.name}`,
      max: policy.quota,
      duration: policy.windowSeconds * 1_000,
      db: {
        ratelimiter: (key, _nowMs, durationMs, max, peeks) =>
          inTime(this.#redis.ratelimiter(key, durationMs, max, peeks), timeLimitMs),
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
    if (!this.#away && !this.#closed) {
      this.#away = true
      this.#nextProbeAtMs = performance.now() + probeEveryMs
      this.#log.warn({ err: error }, 'rate limits are counted by this instance alone: Redis does not answer')
    }
  }

  #comeBack(): void {
    if (this.#away) {
      this.#away = false
      this.#log.info('rate limits are counted by all instances again')
    }
  }
}
