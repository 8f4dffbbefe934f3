import { LRUCache } from 'lru-cache'
import type { Embedder, Reranker, Vector } from '../../../shared/ports/embedder.js'
import type { SearchHit } from '../../../shared/ports/search-index.js'
import { skillOf } from '../../../shared/records/skill.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { embeddedText, searchedText } from '../../../shared/text/skill-text.js'
import { type Backends, Dependency } from '../observability/backends.js'

export interface QueryVectorsOptions {
  embedder: Pick<Embedder, 'kind' | 'embed'>
  log: Logger
  /** Called for each text without a vector: its search is by words only. */
  onUnavailable: () => void
  /** Milliseconds that a search waits. Default 300. */
  timeLimitMs?: number
  /** Milliseconds after which a call that nobody waits for is aborted. Default 30,000: a model may be loading. */
  lateLimitMs?: number
  /** Milliseconds without a call after a failure. Default 5,000. */
  pauseMs?: number
  /** Texts whose vectors are kept. Default 5,000. */
  maxTexts?: number
  /** Epoch milliseconds. */
  clock?: () => number
}

/** Bytes of kept vectors with their texts: 5,000 of 1,536 numbers. */
const maxBytes = 32 * 1024 * 1024

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
    const defaults = { timeLimitMs: 300, lateLimitMs: 30_000, pauseMs: 5_000, maxTexts: 5_000, clock: Date.now }
    this.#options = { ...defaults, ...options }
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
    this.#pausedUntilMs = this.#options.clock() + this.#options.pauseMs
  }
}

/** The hits that a second stage puts in order. */
export const maxReranked = 30

/** Hits with at least this score are named by the query, see `docs/ranking.md`: they stay in front. */
const namedScore = 0.98

/** Characters of a SKILL.md that the reranker reads: models read some 512 tokens. */
const maxTextCharacters = 1_500

/** Orders that are kept, so that the pages of a search agree, and the same search is not asked again. */
const maxKept = 1_000

export interface SecondStageOptions {
  reranker: Reranker
  log: Logger
  /** Called for each search that goes on without it. */
  onUnavailable: () => void
  /** Milliseconds without a call after a failure. Default 5,000. */
  pauseMs?: number
  /** Epoch milliseconds. */
  clock: () => number
}

/**
 * Puts the first hits of a search into the order of a reranker. A search never waits long for it, and does not fail with
 * it: after a failure or a timeout it is not asked for some seconds.
 */
export class SecondStage {
  readonly #options: Required<SecondStageOptions>
  /** Limits the time, and logs an outage once. */
  readonly #dependency: Dependency
  /** How well each hit fits, by query and ids. */
  readonly #kept = new LRUCache<string, number[]>({ max: maxKept })
  #pausedUntilMs = 0

  constructor(options: SecondStageOptions) {
    this.#options = { pauseMs: 5_000, ...options }
    const { log, clock, reranker } = this.#options
    const { timeLimitMs } = reranker
    this.#dependency = new Dependency({ name: 'reranker', code: 'reranker_unavailable', log, timeLimitMs, clock })
  }

  /**
   * The hits in the new order, with their scores in the old one: the first has the highest. Null: the reranker is
   * unavailable, or too slow. Never throws.
   *
   * @param hits the first of the search, the best first; at most `maxReranked` of them are reordered
   */
  async order(
    query: string,
    hits: SearchHit[],
    catalog: Pick<Backends['catalog'], 'readWholeTexts'>,
  ): Promise<SearchHit[] | null> {
    const named = hits.findIndex(({ score }) => (score ?? 0) < namedScore)
    const first = named === -1 ? [] : hits.slice(named, maxReranked)
    if (first.length < 2) {
      return hits
    }
    const fits = await this.#fitsOf(query, first, catalog)
    if (fits === null) {
      this.#options.onUnavailable()
      return null
    }
    const order = first.map((_, at) => at).sort((a, b) => (fits[b] ?? 0) - (fits[a] ?? 0))
    const ordered = order.flatMap((from, to) => {
      const hit = first[from]
      return hit === undefined ? [] : [{ ...hit, score: first[to]?.score ?? null }]
    })
    return [...hits.slice(0, named), ...ordered, ...hits.slice(named + first.length)]
  }

  async #fitsOf(
    query: string,
    hits: SearchHit[],
    catalog: Pick<Backends['catalog'], 'readWholeTexts'>,
  ): Promise<number[] | null> {
    const { reranker, clock, pauseMs } = this.#options
    const skills = hits.map(skillOf)
    const key = JSON.stringify([query, skills.map(({ id, digest }) => [id, digest])])
    const kept = this.#kept.get(key)
    if (kept !== undefined || clock() < this.#pausedUntilMs) {
      return kept ?? null
    }
    try {
      return await this.#dependency.call(async () => {
        const texts = await catalog.readWholeTexts(skills, { maxBytes: Number.POSITIVE_INFINITY, soleOnly: false })
        const documents = skills.map((skill) =>
          `${embeddedText(skill)}\n${searchedText(texts.get(skill.id)?.text ?? '').slice(0, maxTextCharacters)}`.trim(),
        )
        const fits = await reranker.fits(query, documents, AbortSignal.timeout(reranker.timeLimitMs))
        this.#kept.set(key, fits)
        return fits
      })
    } catch {
      // Logged by the dependency.
      this.#pausedUntilMs = clock() + pauseMs
      return null
    }
  }
}
