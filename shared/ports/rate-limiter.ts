/** A quota that each client has. */
export interface RateLimitPolicy {
  /** Its name in `RateLimit-Policy`. */
  name: 'default' | 'export'
  /** Requests admitted in any window. */
  quota: number
  windowSeconds: number
}

export interface RateLimitDecision {
  policy: RateLimitPolicy
  admitted: boolean
  /** Requests left in the present window, after this one. */
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
   * Counts one request. Answers within 250 ms, from a local count when the shared one does not answer; never throws.
   *
   * @param client a normalised address, see `clientKey`
   * @param withinMs how long it may take, if that is less: for whoever asks several times for one request
   */
  consume(policy: RateLimitPolicy, client: string, withinMs?: number): Promise<RateLimitDecision>

  /** What `consume` would decide now, without counting anything; `remaining` is what is left before that request. */
  peek(policy: RateLimitPolicy, client: string, withinMs?: number): Promise<RateLimitDecision>

  /** True while it counts for this process only, though it should for several: what stands between does not answer. */
  readonly alone: boolean

  close(): Promise<void>
}
