import { setTimeout as sleep } from 'node:timers/promises'
import type { TextPurpose } from '../../ports/embedder.js'
import { embedderUnavailable } from './embedder-errors.js'

export interface RequestRateOptions {
  /** Requests in any `windowMs`. */
  limit: number
  /** Milliseconds, default 60,000. */
  windowMs?: number
}

/** The share of the limit that documents leave to queries. */
const keptForQueries = 0.1

/**
 * Limits the requests of this process in any minute. Those for documents wait, evenly spaced, since servers may count
 * by shorter times too. One for a query is made at once or fails: its client does not wait for a minute.
 */
export class RequestRate {
  readonly #limit: number
  readonly #windowMs: number
  /** Times of the requests in the window, oldest first. */
  readonly #sentAt: number[] = []
  #nextDocumentAt = 0

  constructor({ limit, windowMs = 60_000 }: RequestRateOptions) {
    this.#limit = limit
    this.#windowMs = windowMs
  }

  /**
   * Resolves when a request may be sent, and counts it.
   *
   * @throws AppError `embedder_unavailable` for a query when the limit is reached; the reason of `signal`
   */
  async wait(purpose: TextPurpose, signal: AbortSignal): Promise<void> {
    const documents = Math.max(1, Math.floor(this.#limit * (1 - keptForQueries)))
    const limit = purpose === 'query' ? this.#limit : documents
    for (;;) {
      const now = performance.now()
      while (Number(this.#sentAt[0]) <= now - this.#windowMs) {
        this.#sentAt.shift()
      }
      const freeAt =
        this.#sentAt.length < limit ? now : Number(this.#sentAt[this.#sentAt.length - limit]) + this.#windowMs
      if (purpose === 'query' && freeAt > now) {
        throw embedderUnavailable('EMBEDDER_REQUESTS_PER_MINUTE is reached', Math.ceil((freeAt - now) / 1_000))
      }
      const waitMs = Math.max(freeAt, purpose === 'query' ? 0 : this.#nextDocumentAt) - now
      if (waitMs <= 0) {
        this.#sentAt.push(now)
        this.#nextDocumentAt = purpose === 'query' ? this.#nextDocumentAt : now + this.#windowMs / documents
        return
      }
      // Another request may be the first after this pause.
      await sleep(Math.ceil(waitMs), undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}
