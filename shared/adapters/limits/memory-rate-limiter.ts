import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../ports/rate-limiter.js'

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

/** The admitted requests of one client under one policy, oldest first. */
interface ClientLog {
  /** Times in milliseconds; those before `head` have left the window. */
  times: number[]
  head: number
  durationMs: number
}

/**
 * The result of the limiter's command: requests left before this one (0: refused), the time when one is free, the
 * quota.
 */
type SlidingLogResult = [remaining: number, resetMs: number, max: number]

/** Idle clients checked per call: with more than one, the log shrinks faster than it can grow. */
const sweptPerCall = 2

/**
 * The one command that koa-ratelimit's Redis driver sends, kept in memory.
 *
 * It is an exact sliding log, whereas koa-ratelimit's memory driver counts in fixed windows and admits twice the quota
 * around a boundary. Differences from its Lua script: times are returned in milliseconds instead of truncated seconds, so
 * that Retry-After is never too short, and two requests in the same microsecond count as two.
 *
 * Bounded: a client has at most its quota of entries, and above `maxClients` the least recently used one is dropped.
 */
export class SlidingLog {
  /** In order of last use, so that the first is the next to drop. */
  readonly #clients = new Map<string, ClientLog>()
  readonly #maxClients: number

  /** @param maxClients clients kept at the same time */
  constructor(maxClients: number) {
    this.#maxClients = maxClients
  }

  /** Number of clients kept. */
  get size(): number {
    return this.#clients.size
  }

  /**
   * Counts one request of `key`, if the window that ends now has room. A refused request leaves no entry.
   *
   * @param nowMs on a monotonic clock
   * @param peek only reads: nothing is counted
   */
  ratelimiter(key: string, nowMs: number, durationMs: number, max: number, peek = false): SlidingLogResult {
    const client = this.#clients.get(key) ?? { times: [], head: 0, durationMs }
    client.durationMs = durationMs
    forgetUntil(client, nowMs - durationMs)
    const remaining = max - (client.times.length - client.head)
    if (remaining > 0 && !peek) {
      client.times.push(nowMs)
    }
    const oldestMs = client.times[client.head] ?? nowMs
    if (!peek) {
      this.#clients.delete(key)
      this.#clients.set(key, client)
      this.#sweep(nowMs)
    }
    return [Math.max(0, remaining), oldestMs + durationMs, max]
  }

  #sweep(nowMs: number): void {
    let looked = 0
    for (const [key, { times, durationMs }] of this.#clients) {
      const idle = (times.at(-1) ?? 0) <= nowMs - durationMs
      if (this.#clients.size > this.#maxClients || idle) {
        this.#clients.delete(key)
      }
      looked += 1
      if (looked === sweptPerCall) {
        return
      }
    }
  }
}

/** Drops entries at or before a time; the array is compacted only now and then, since that moves the rest. */
function forgetUntil(client: ClientLog, timeMs: number): void {
  const { times } = client
  while (client.head < times.length && (times[client.head] ?? 0) <= timeMs) {
    client.head += 1
  }
  if (client.head > 0 && client.head * 2 >= times.length) {
    times.splice(0, client.head)
    client.head = 0
  }
}
