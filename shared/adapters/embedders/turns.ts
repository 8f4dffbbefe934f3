import type { TextPurpose } from '../../ports/embedder.js'

/** Limits the calls that run at the same time. Waiting calls for queries come before those for documents. */
export class Turns {
  readonly #waiting: Record<TextPurpose, (() => void)[]> = { query: [], document: [] }
  #free: number

  /** @param atOnce number of calls that run at the same time */
  constructor(atOnce: number) {
    this.#free = atOnce
  }

  /** Makes the call when it is its turn. @throws the reason of `signal` when it is aborted before; else as the call does */
  async run<T>(purpose: TextPurpose, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) {
      this.#free -= 1
    } else {
      await new Promise<void>((begin) => this.#waiting[purpose].push(begin))
    }
    try {
      signal?.throwIfAborted()
      return await call()
    } finally {
      this.#next()
    }
  }

  #next(): void {
    const begin = this.#waiting.query.shift() ?? this.#waiting.document.shift()
    if (begin === undefined) {
      this.#free += 1
    } else {
      begin()
    }
  }
}
