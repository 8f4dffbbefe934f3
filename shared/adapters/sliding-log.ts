/** The admitted requests of one client under one policy, oldest first. */
interface ClientLog {
  /** Times in milliseconds; those before `head` have left the window. */
  times: number[]
  head: number
  durationMs: number
}

/** What the limiter's command answers: requests left before this one (0: refused), when one is free, the quota. */
type SlidingLogAnswer = [remaining: number, resetMs: number, max: number]

/** How many idle clients one call looks at: with more than one a call, the log shrinks faster than it can grow. */
const sweptPerCall = 2

/**
 * The one command that koa-ratelimit's Redis driver sends, kept in memory.
 *
 * That driver is an exact sliding log, whereas its memory driver counts in fixed windows and admits twice the quota
 * around a boundary. With this in the place of Redis the same driver serves a single process. Differences from its
 * Lua script: times come back in milliseconds instead of truncated seconds, so that a client is never told to return
 * too early, and two requests in the same microsecond are two.
 *
 * Bounded: a client has at most its quota of entries, and beyond `maxClients` the least recently seen is forgotten.
 */
export class SlidingLog {
  /** In order of last use, so that the first is the one to forget. */
  readonly #clients = new Map<string, ClientLog>()
  readonly #maxClients: number

  /** @param maxClients clients kept at the same time */
  constructor(maxClients: number) {
    this.#maxClients = maxClients
  }

  /** How many clients are kept just now. */
  get size(): number {
    return this.#clients.size
  }

  /**
   * Counts one request of `key`, if there is room in the window that ends now. A refused one leaves no entry.
   *
   * @param nowMs of a clock that never goes back
   * @param peek only looks: nothing is counted
   */
  ratelimiter(key: string, nowMs: number, durationMs: number, max: number, peek = false): SlidingLogAnswer {
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

/** Drops entries at or before a time; the array is cut only now and then, since cutting moves what stays. */
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
