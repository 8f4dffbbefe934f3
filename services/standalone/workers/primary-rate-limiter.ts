import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../../shared/ports/rate-limiter.js'
import { overloaded } from '../../../shared/runtime/errors.js'
import type { ProcessCalls } from './process-calls.js'

/** The primary process runs as long as its workers do: one that does not answer for so long has too much to do. */
const callTimeoutMs = 5_000

/** Counts requests in the primary process, for all workers together. */
export class PrimaryRateLimiter implements RateLimiter {
  /** Always false: there is no other count. */
  readonly alone = false
  readonly #primary: ProcessCalls

  constructor(primary: ProcessCalls) {
    this.#primary = primary
  }

  consume(policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    return this.#ask('consume', policy, client)
  }

  peek(policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    return this.#ask('peek', policy, client)
  }

  async close(): Promise<void> {}

  async #ask(method: 'consume' | 'peek', policy: RateLimitPolicy, client: string): Promise<RateLimitDecision> {
    try {
      return await this.#primary.call<RateLimitDecision>(method, [policy, client], callTimeoutMs)
    } catch {
      throw overloaded(1)
    }
  }
}
