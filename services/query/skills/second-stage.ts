import { LRUCache } from 'lru-cache'
import type { Reranker } from '../../../shared/ports/embedder.js'
import type { SearchHit } from '../../../shared/ports/search-index.js'
import { skillOf } from '../../../shared/records/skill.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { searchedText } from '../../../shared/text/skill-text.js'
import { embeddedText } from '../../../shared/text/skill-words.js'
import { type Backends, Dependency } from '../observability/backends.js'
import { pauseMs } from './query-vectors.js'

/** The hits that a second stage puts in order. */
export const maxReranked = 30

/** Hits with at least this score are named by the query, see `docs/ranking.md`: they stay in front. */
const namedScore = 0.98

/** Characters of a SKILL.md that the reranker reads: models read some 512 tokens. */
const maxTextCharacters = 1_500

/** Orders that are kept, so that the pages of a search agree, and the same search is not asked again. */
const maxKept = 1_000

type Texts = Pick<Backends['catalog'], 'readWholeTexts'>

export interface SecondStageOptions {
  reranker: Reranker
  log: Logger
  /** Called for each search that goes on without it. */
  onUnavailable: () => void
  /** Epoch milliseconds. */
  clock: () => number
}

/**
 * Puts the first hits of a search into the order of a reranker. A search never waits long for it, and does not fail with
 * it: after a failure or a timeout it is not asked for some seconds.
 */
export class SecondStage {
  readonly #options: SecondStageOptions
  /** Limits the time, and logs an outage once. */
  readonly #dependency: Dependency
  /** How well each hit fits, by query and ids. */
  readonly #kept = new LRUCache<string, number[]>({ max: maxKept })
  #pausedUntilMs = 0

  constructor(options: SecondStageOptions) {
    this.#options = options
    const { log, clock, reranker } = options
    const { timeLimitMs } = reranker
    this.#dependency = new Dependency({ name: 'reranker', code: 'reranker_unavailable', log, timeLimitMs, clock })
  }

  /**
   * The hits in the new order, with their scores in the old one: the first has the highest. Null: the reranker is
   * unavailable, or too slow. Never throws.
   *
   * @param hits the first of the search, the best first; at most `maxReranked` of them are reordered
   */
  async order(query: string, hits: SearchHit[], catalog: Texts): Promise<SearchHit[] | null> {
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
    const ordered = first
      .map((hit, at) => ({ hit, fit: fits[at] ?? 0 }))
      .sort((a, b) => b.fit - a.fit)
      .map(({ hit }, at) => ({ ...hit, score: first[at]?.score ?? null }))
    return [...hits.slice(0, named), ...ordered, ...hits.slice(named + first.length)]
  }

  async #fitsOf(query: string, hits: SearchHit[], catalog: Texts): Promise<number[] | null> {
    const { reranker, clock } = this.#options
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
