import { setTimeout as sleep } from 'node:timers/promises'
import { unitVector } from '../../embedding/built-in-embedder.js'
import type { Embedder, TextPurpose, Vector } from '../../ports/embedder.js'
import type { Logger } from '../../runtime/log.js'
import type { HttpEmbedderConfig } from '../../runtime/query-config.js'
import { shorten } from '../../text/clean-text.js'
import { divideIntoBatches, embedderRefused, embedderUnavailable, Turns } from './batches.js'
import { RequestRate, requestVectors } from './http-request.js'

/** Times of requests; tests shorten them. */
export interface HttpTiming {
  /** Milliseconds for one request. */
  requestMs: number
  /** Milliseconds after the first attempt of a request during which it is repeated. */
  retryMs: number
  /** Maximum of the first pause, doubled for each further one. */
  firstPauseMs: number
}

/** A model on two slow processors takes a minute for 64 long texts. */
const defaultTiming: HttpTiming = { requestMs: 120_000, retryMs: 30_000, firstPauseMs: 500 }
const maxPauseMs = 5_000

const batchLimits = { maxTexts: 64, maxCharacters: 64_000 }
const documentsAtOnce = 4

/** Longer texts are shortened, in characters. */
const maxTextLength = 4_000
/** The texts of a batch that the server refuses are shortened again: many refuse what their model cannot read. */
const retriedLengths = [1_000, 250]

const empty = new Float32Array(0)

/** An embedder on a server, see `HttpEmbedderConfig`. Requests for documents are repeated, those for queries are not. */
export class HttpEmbedder implements Embedder {
  readonly kind = 'model'
  readonly model: string
  readonly #config: HttpEmbedderConfig
  readonly #timing: HttpTiming
  readonly #log: Logger
  readonly #documentTurns = new Turns(documentsAtOnce)
  readonly #rate: RequestRate | null
  /** One for each call, and not one for all: a signal keeps a trace of every signal that was made from it. */
  readonly #running = new Set<AbortController>()
  #dimensions: number | null = null
  #firstAnswer: Promise<unknown> | null = null

  constructor(config: HttpEmbedderConfig, { log, timing = {} }: { log: Logger; timing?: Partial<HttpTiming> }) {
    this.model = `${config.kind}:${config.model}`
    this.#config = config
    this.#timing = { ...defaultTiming, ...timing }
    this.#log = log
    this.#rate = config.requestsPerMinute === null ? null : new RequestRate({ limit: config.requestsPerMinute })
  }

  async dimensions(): Promise<number> {
    if (this.#dimensions === null) {
      // Concurrent callers share one request.
      this.#firstAnswer ??= this.embed(['dimensions'], 'document').finally(() => {
        this.#firstAnswer = null
      })
      await this.#firstAnswer
    }
    return Number(this.#dimensions)
  }

  async embed(texts: string[], purpose: TextPurpose, signal?: AbortSignal): Promise<Vector[]> {
    // Servers refuse an empty text.
    const sent = texts.flatMap((text, position) =>
      text.trim() === '' ? [] : [{ position, text: shorten(text, maxTextLength) }],
    )
    const vectors = new Map<number, Vector>()
    const stop = new AbortController()
    this.#running.add(stop)
    const ending = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
    const embedBatch = async (batch: number[]) => {
      const members = batch.flatMap((at) => sent[at] ?? [])
      const found = await this.#embedBatch(
        members.map(({ text }) => text),
        purpose,
        ending,
      )
      for (const [at, { position }] of members.entries()) {
        vectors.set(position, found[at] ?? empty)
      }
    }
    const lengths = sent.map(({ text }) => text.length)
    try {
      await Promise.all(divideIntoBatches(lengths, batchLimits).map(embedBatch))
    } catch (error) {
      // The other batches would be thrown away.
      stop.abort(error)
      throw error
    } finally {
      this.#running.delete(stop)
    }
    const zeros = sent.length === texts.length ? empty : new Float32Array(await this.dimensions())
    return texts.map((_, position) => vectors.get(position) ?? zeros)
  }

  async close(): Promise<void> {
    for (const stop of this.#running) {
      stop.abort(embedderUnavailable('it was closed'))
    }
  }

  async #embedBatch(
    texts: string[],
    purpose: TextPurpose,
    signal: AbortSignal,
    shorterLengths: number[] = retriedLengths,
  ): Promise<Vector[]> {
    const send = () => this.#send(texts, purpose, signal)
    const outcome = await (purpose === 'query' ? send() : this.#documentTurns.run(purpose, send, signal))
    if ('vectors' in outcome) {
      return outcome.vectors.map((numbers) => this.#check(numbers))
    }
    const [length = Number.POSITIVE_INFINITY, ...rest] = shorterLengths
    if (texts.every((text) => text.length <= length)) {
      throw outcome.tooLong
    }
    const shortened = texts.map((text) => shorten(text, length))
    return this.#embedBatch(shortened, purpose, signal, rest)
  }

  /** Sends a request, and for documents repeats it. @throws AppError `embedder_unavailable`, `embedder_refused` */
  async #send(texts: string[], purpose: TextPurpose, signal: AbortSignal) {
    const { requestMs, retryMs, firstPauseMs } = this.#timing
    let deadline: number | null = null
    for (let attempt = 0; ; attempt += 1) {
      await this.#rate?.wait(purpose, signal)
      deadline ??= performance.now() + retryMs
      const outcome = await requestVectors(this.#config, texts, { purpose, timeoutMs: requestMs, signal })
      if (!('failure' in outcome)) {
        return outcome
      }
      const { failure, retryAfterMs, cause } = outcome
      // Full jitter: requests that failed together must not be repeated together.
      const pauseMs = (retryAfterMs ?? 0) + Math.random() * Math.min(maxPauseMs, firstPauseMs * 2 ** attempt)
      if (purpose === 'query' || performance.now() + pauseMs > deadline) {
        throw embedderUnavailable(failure, Math.max(5, Math.ceil((retryAfterMs ?? 0) / 1_000)), cause)
      }
      this.#log.debug({ failure, pauseMs: Math.round(pauseMs) }, 'embedder does not answer: retrying')
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  #check(numbers: number[]): Vector {
    const { url } = this.#config
    const vector = unitVector(numbers)
    if (vector === null) {
      throw embedderRefused(`${url} answered with numbers that are too large for a vector. Check its model.`)
    }
    this.#dimensions ??= numbers.length
    if (numbers.length !== this.#dimensions) {
      throw embedderRefused(
        `${url} answered with a vector of ${numbers.length} numbers, after one of ${this.#dimensions}. When the ` +
          'server has got another model, restart the services; otherwise check it.',
      )
    }
    return vector
  }
}
