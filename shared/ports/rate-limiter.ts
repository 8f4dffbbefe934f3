/**
 * A client of the service, as the last argument of a call that is made for it: calls that have to wait take turns by
 * client. A call without one is the service's own, a health check or a job, and never waits.
 */
export class Client {
  /** @param key equal for all requests of one client, see `clientKey` */
  constructor(readonly key: string) {}
}

/** The client of a call; undefined: it has none. */
export function clientOf(args: unknown[]): Client | undefined {
  const last = args.at(-1)
  return last instanceof Client ? last : undefined
}

/** A quota that each client has. */
export interface RateLimitPolicy {
  /** Its name in `RateLimit-Policy`. */
  name: 'default' | 'export' | 'dataset'
  /** Requests admitted in any window. */
  quota: number
  windowSeconds: number
}

export interface RateLimitDecision {
  policy: RateLimitPolicy
  admitted: boolean
  /** Requests left in the current window, after this one. */
  remaining: number
  /** Epoch milliseconds at which one more request will be free: the oldest one in the window leaves it. */
  resetAtMs: number
}

/**
 * Counts requests of clients in sliding windows: never more than `quota` are admitted in any `windowSeconds`.
 * Requests that are refused do not count.
 */
export interface RateLimiter {
  /**
   * Counts one request. Where a server counts, decides within 250 ms, by a local count when that one does not answer.
   *
   * @param client a normalised address, see `clientKey`
   * @param withinMs how long a server may take, if less: for callers that count several times for one request
   * @throws AppError `overloaded` (503) when the process that counts for this one has too much to do
   */
  consume(policy: RateLimitPolicy, client: string, withinMs?: number): Promise<RateLimitDecision>

  /** The decision of `consume` without counting anything; `remaining` is the number before that request. */
  peek(policy: RateLimitPolicy, client: string, withinMs?: number): Promise<RateLimitDecision>

  /** True while it counts for this process alone because the shared count does not answer. */
  readonly alone: boolean

  close(): Promise<void>
}
