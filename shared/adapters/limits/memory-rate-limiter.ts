import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../ports/rate-limiter.js'

interface MemoryRateLimiterOptions {
  /** Clients kept at the same time, over all policies. Default 50,000: at most about 50 MB. */
  maxClients?: number
  /**
   * The time in milliseconds, for tests. Default: a monotonic clock, so that setting the wall clock neither opens nor
   * closes a window.
   */
  clock?: () => number
}

/** The admitted requests of one client under one policy, oldest first. */
interface ClientLog {
  /** Times in milliseconds; those before `head` have left the window. */
  times: number[]
  head: number
  durationMs: number
}

/** Idle clients checked per call: with more than one, the log shrinks faster than it can grow. */
const sweptPerCall = 2

/**
 * Counts requests of clients in this process, in an exact sliding log: koa-ratelimit's memory driver counts in fixed windows
 * and admits twice the quota around a boundary.
 *
 * Bounded: a client has at most its quota of entries, and above `maxClients` the least recently used one is dropped.
 */
export class MemoryRateLimiter implements RateLimiter {
  readonly alone = false
  /** In order of last use, so that the first is the next to drop. */
  readonly #clients = new Map<string, ClientLog>()
  readonly #maxClients: number
  readonly #clock: (() => number) | undefined

  constructor({ maxClients = 50_000, clock }: MemoryRateLimiterOptions = {}) {
    this.#maxClients = maxClients
    this.#clock = clock
  }

  /** Number of clients kept, counted once per policy. */
  get clients(): number {
    return this.#clients.size
  }

  async consume(policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    return this.#decide(policy, client, false)
  }

  async peek(policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    return this.#decide(policy, client, true)
  }

  /** A refused request leaves no entry. */
  #decide(policy: RateLimitPolicy, client: string, peek: boolean): RateLimitDecision {
    const nowMs = this.#clock?.() ?? performance.now()
    const durationMs = policy.windowSeconds * 1_000
    const key = `${policy.name}:${client}`
    const log = this.#clients.get(key) ?? { times: [], head: 0, durationMs }
    forgetUntil(log, nowMs - durationMs)
    const left = Math.max(0, policy.quota - (log.times.length - log.head))
    if (!peek) {
      if (left > 0) {
        log.times.push(nowMs)
      }
      this.#clients.delete(key)
      this.#clients.set(key, log)
      this.#sweep(nowMs)
    }
    // Rounded up, but for the inexactness of the subtraction; added to the wall clock, with which `nowMs` may differ.
    const waitMs = Math.ceil((log.times[log.head] ?? nowMs) + durationMs - nowMs - 1e-6)
    const resetAtMs = (this.#clock?.() ?? Date.now()) + waitMs
    return { policy, admitted: left > 0, remaining: peek ? left : Math.max(0, left - 1), resetAtMs }
  }

  async close(): Promise<void> {}

  #sweep(nowMs: number): void {
    let looked = 0
    for (const [key, { times, durationMs }] of this.#clients) {
      const isIdle = (times.at(-1) ?? 0) <= nowMs - durationMs
      if (this.#clients.size > this.#maxClients || isIdle) {
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
