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
 * Counts requests of clients in sliding windows: at most `quota` are admitted in any `windowSeconds`, as far as the
 * counts are kept (see `alone`, and `maxClients` of the one in memory). Requests that are refused do not count.
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
