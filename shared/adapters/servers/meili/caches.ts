import { LRUCache } from 'lru-cache'
import type { SearchParams } from 'meilisearch'
import type { SearchPage, SearchQuery } from '../../../ports/search-index.js'
import { informativeTerms } from '../../../ranking/concepts.js'
import type { SearchTerm, SearchText } from '../../../ranking/interpret-query.js'
import { stemsOf } from '../../../text/analyze.js'
import { inGroups, type MeiliResponse, refusalCode } from './client.js'
import { stemQuery } from './documents.js'
import { textAttribute } from './settings.js'

/** Bounds of what is kept: queries, and characters of the records of their pages. */
const maxQueries = 10_000
const maxCharacters = 32 * 1_024 * 1_024

interface KeptPage {
  /** The generation of the index before the search. */
  generation: string
  page: SearchPage
}

/** A query that was asked once: its page is not kept. */
const askedOnce = 'asked once'

const charactersOf = (kept: KeptPage | typeof askedOnce): number =>
  kept === askedOnce ? 1 : kept.page.hits.reduce((sum, { record }) => sum + record.length, 1)

/**
 * Answers to repeated searches. A page is given again only while the index is the same: its generation is asked for
 * after each request has arrived, which costs less than a search. Concurrent requests share one such question. A query
 * that was not asked before costs its search only.
 */
export class AnswerCache {
  readonly #generationOf: () => Promise<string>
  readonly #queries = new LRUCache<string, KeptPage | typeof askedOnce>({
    max: maxQueries,
    maxSize: maxCharacters,
    sizeCalculation: charactersOf,
  })
  /** The question that has not been sent; null: there is none. */
  #next: Promise<string> | null = null
  #sent: Promise<unknown> = Promise.resolve()

  /** @param generationOf the state of the index: another one after each change */
  constructor(generationOf: () => Promise<string>) {
    this.#generationOf = generationOf
  }

  /** The answer to a query: a kept one, or that of `search`. */
  async answer(query: SearchQuery, search: () => Promise<SearchPage>): Promise<SearchPage> {
    const key = keyOf(query)
    if (!this.#queries.has(key)) {
      this.#queries.set(key, askedOnce)
      return search()
    }
    const generation = await this.#generation()
    const kept = this.#queries.get(key) ?? askedOnce
    if (kept !== askedOnce && kept.generation === generation) {
      return kept.page
    }
    const page = await search()
    this.#queries.set(key, { generation, page })
    return page
  }

  /** Asks after this call: joins the next question when one has been sent already. */
  #generation(): Promise<string> {
    this.#next ??= this.#sent
      .catch(() => undefined)
      .then(() => {
        this.#next = null
        return this.#generationOf()
      })
    this.#sent = this.#next
    return this.#next
  }
}

/** The text determines the vector, which is much longer. */
const keyOf = ({ meaning, ...query }: SearchQuery): string =>
  JSON.stringify({ ...query, meaning: meaning === null ? null : meaning.alone ? 'alone' : 'too' })

/** What the live index lacks while it is one of an earlier version, or of another model. */
type IndexFeature = 'meaning' | 'fold'

/** How long a missing feature is not asked for again: without this, each search would be two requests. */
const rememberedMs = 10_000

const codes: Partial<Record<string, IndexFeature>> = {
  invalid_search_embedder: 'meaning',
  invalid_vector_dimensions: 'meaning',
  invalid_search_distinct: 'fold',
}

/** Searches without the features that the live index lacks, until it is built again. */
export class MissingFeatures {
  /** Times, until which a feature is assumed to be missing. */
  readonly #untilMs = new Map<IndexFeature, number>()

  /** The query without what the index lacks. */
  known(query: SearchQuery): SearchQuery {
    return {
      ...query,
      meaning: this.#isMissing('meaning') ? null : query.meaning,
      fold: query.fold && !this.#isMissing('fold'),
    }
  }

  /** Searches; without a feature, when the index refuses the query for the lack of it. */
  async search<T>(query: SearchQuery, search: (query: SearchQuery) => Promise<T>): Promise<T> {
    try {
      return await search(query)
    } catch (error) {
      const feature = codes[refusalCode(error) ?? '']
      if (feature === undefined || (feature === 'meaning' ? query.meaning === null : !query.fold)) {
        throw error
      }
      this.#untilMs.set(feature, performance.now() + rememberedMs)
      return this.search(this.known(query), search)
    }
  }

  #isMissing(feature: IndexFeature): boolean {
    return performance.now() < (this.#untilMs.get(feature) ?? 0)
  }
}

/** Stems whose counts are kept: those of some thousand tasks. */
const maxStems = 50_000

/** A count that is somewhat old orders words as well as a new one. */
const countsKeptMs = 600_000

/** Words of a text that are counted. */
const maxWords = 100

/** How many skills have each word in their texts, of a task anywhere, asked of Meilisearch and kept for a while. */
export class WordCounts {
  readonly #counts = new LRUCache<string, number>({ max: maxStems, ttl: countsKeptMs })

  /**
   * The words of a text that inform, the rarest first, without those that no skill has.
   *
   * @returns `rarity`: how much each word informs, by stem
   */
  async rarest(
    text: SearchText,
    send: (queries: SearchParams[]) => Promise<MeiliResponse[]>,
  ): Promise<{ terms: SearchTerm[]; rarity: Map<string, number> }> {
    const terms = informativeTerms(text).informative.slice(0, maxWords)
    const stems = [...new Set(terms.flatMap(({ tokens }) => stemsOf(tokens)))]
    const [all = 0, ...counts] = await this.#count(['', ...stems], text.isTask, send)
    const skills = new Map(stems.map((stem, at) => [stem, counts[at] ?? 0]))
    // A word that none has is the rarest: skills without it fit less, so that texts and meaning count more.
    const rarity = new Map(
      [...skills].map(([stem, count]) => [stem, Math.log(1 + (Math.max(0, all - count) + 0.5) / (count + 0.5))]),
    )
    const rarityOf = ({ tokens }: SearchText['terms'][number]) =>
      Math.min(...stemsOf(tokens).map((stem) => rarity.get(stem) ?? 0))
    const known = terms.filter(({ tokens }) => stemsOf(tokens).every((stem) => skills.get(stem) !== 0))
    return { terms: known.sort((a, b) => rarityOf(b) - rarityOf(a)), rarity }
  }

  /** @param stems the empty one: of all skills */
  async #count(
    stems: string[],
    isAnywhere: boolean,
    send: (queries: SearchParams[]) => Promise<MeiliResponse[]>,
  ): Promise<number[]> {
    const keyOf = (stem: string) => (isAnywhere ? `${stem} anywhere` : stem)
    const queryOf = (stem: string): SearchParams =>
      isAnywhere ? { ...stemQuery(stem), limit: 0 } : { q: `${stem} `, limit: 0, attributesToSearchOn: [textAttribute] }
    const unknown = stems.filter((stem) => !this.#counts.has(keyOf(stem)))
    const responses = await inGroups(unknown.map(queryOf), send)
    for (const [at, stem] of unknown.entries()) {
      this.#counts.set(keyOf(stem), responses[at]?.estimatedTotalHits ?? 0)
    }
    return stems.map((stem) => this.#counts.get(keyOf(stem)) ?? 0)
  }
}
