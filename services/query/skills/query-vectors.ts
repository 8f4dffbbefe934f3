import { LRUCache } from 'lru-cache'
import type { Embedder, Vector } from '../../../shared/ports/embedder.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { Dependency } from '../observability/backends.js'

export interface QueryVectorsOptions {
  embedder: Pick<Embedder, 'embed'>
  log: Logger
  /** Called for each text without a vector: its search is by words only. */
  onUnavailable: () => void
  /** Milliseconds that a search waits. Default 300. */
  timeLimitMs?: number
  /** Milliseconds after which a call that nobody waits for is aborted. Default 30,000: a model may be loading. */
  lateLimitMs?: number
  /** Texts whose vectors are kept. Default 5,000. */
  maxTexts?: number
  /** Epoch milliseconds. */
  clock: () => number
}

/** Bytes of kept vectors with their texts: 5,000 of 1,536 numbers. */
const maxBytes = 32 * 1024 * 1024

/** Milliseconds without a call after a failure. */
export const pauseMs = 5_000

/** Calls at the same time. A model that needs more than these cannot keep pace anyway. */
const maxRunning = 32

/**
 * The vectors of search texts. A search never waits long for the embedder, and does not fail with it: after a failure
 * or a timeout there is no call for some seconds, then one that shows whether the embedder answers again. A late answer
 * is kept as well, so that a slow model serves the searches that repeat.
 */
export class QueryVectors {
  readonly #options: Required<QueryVectorsOptions>
  /** Limits the time, and logs an outage once. */
  readonly #dependency: Dependency
  readonly #kept: LRUCache<string, Vector>
  /** Calls in progress, by text. */
  readonly #running = new Map<string, Promise<Vector>>()
  /** Until when no call is made, after a failure; null: the last call succeeded. */
  #pausedUntilMs: number | null = null

  constructor(options: QueryVectorsOptions) {
    this.#options = { timeLimitMs: 300, lateLimitMs: 30_000, maxTexts: 5_000, ...options }
    const { log, timeLimitMs, clock } = this.#options
    this.#kept = new LRUCache({
      max: this.#options.maxTexts,
      maxSize: maxBytes,
      sizeCalculation: ({ byteLength }, text) => byteLength + 2 * text.length,
    })
    this.#dependency = new Dependency({ name: 'embedder', code: 'embedder_unavailable', log, timeLimitMs, clock })
  }

  /** The vector of a text; null: the embedder is unavailable, or too slow. Never throws. */
  async vectorOf(text: string): Promise<Vector | null> {
    const kept = this.#kept.get(text)
    if (kept !== undefined) {
      return kept
    }
    const vector = await this.#ask(text)
    if (vector === null) {
      this.#options.onUnavailable()
    }
    return vector
  }

  async #ask(text: string): Promise<Vector | null> {
    if (this.#pausedUntilMs !== null) {
      if (this.#options.clock() < this.#pausedUntilMs) {
        return null
      }
      // This call shows whether the embedder answers again; until it has, there is no other.
      this.#pause()
    }
    const running = this.#running.get(text) ?? this.#call(text)
    if (running === null) {
      return null
    }
    try {
      return await this.#dependency.call(() => running)
    } catch {
      // Logged by the dependency.
      this.#pause()
      return null
    }
  }

  /** Starts a call whose answer is kept, in time or late; null: there are too many. */
  #call(text: string): Promise<Vector> | null {
    if (this.#running.size >= maxRunning) {
      return null
    }
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(new Error('no answer')), this.#options.lateLimitMs)
    // The timer must not keep a process alive that is ending.
    timer.unref()
    const call = async (): Promise<Vector> => {
      const [vector] = await this.#options.embedder.embed([text], 'query', stop.signal)
      if (vector === undefined) {
        throw new Error('the embedder returned no vector')
      }
      this.#kept.set(text, vector)
      this.#pausedUntilMs = null
      return vector
    }
    const running = call().finally(() => {
      clearTimeout(timer)
      this.#running.delete(text)
    })
    this.#running.set(text, running)
    return running
  }

  #pause(): void {
    this.#pausedUntilMs = this.#options.clock() + pauseMs
  }
}
