import type { TextPurpose } from '../../ports/embedder.js'
import { type AppError, operatorError, unavailable } from '../../runtime/errors.js'

/** 503: the model does not answer in time. `retryAfterSeconds` is when to try again. */
export const embedderUnavailable = (reason: string, retryAfterSeconds = 5, cause?: unknown): AppError =>
  unavailable('embedder_unavailable', `The embedder is unavailable: ${reason}.`, retryAfterSeconds, cause)

/** The model cannot be used as it is configured. `message` says what was found and what to do. */
export const embedderRefused = (message: string, cause?: unknown): AppError =>
  operatorError('embedder_refused', message, cause)

interface BatchLimits {
  maxTexts: number
  /** Number of texts times the characters of the longest: models pad the texts of a batch to equal length. */
  maxCharacters: number
}

/**
 * Divides texts into batches of similar length, the short ones first.
 *
 * @param lengths of the texts, in characters
 * @returns for each batch the positions of its texts; a text that is too long alone is a batch
 */
export function divideIntoBatches(lengths: number[], { maxTexts, maxCharacters }: BatchLimits): number[][] {
  const byLength = lengths.map((length, position) => ({ position, length })).sort((a, b) => a.length - b.length)
  const batches: number[][] = []
  let batch: number[] = []
  for (const { position, length } of byLength) {
    if (batch.length === maxTexts || (batch.length + 1) * length > maxCharacters) {
      batches.push(batch)
      batch = []
    }
    batch.push(position)
  }
  batches.push(batch)
  return batches.filter(({ length }) => length > 0)
}

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
