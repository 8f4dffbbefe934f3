import { LRUCache } from 'lru-cache'
import type { SearchPage, SearchQuery } from '../../../ports/search-index.js'

/** Bounds of what is kept: queries, and characters of the records of their pages. */
const maxQueries = 10_000
const maxCharacters = 32 * 1_024 * 1_024

interface KeptPage {
  /** That of the index before the search. */
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
  #asked: Promise<string> | null = null
  #nextAsked: Promise<string> | null = null

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

  async #ask(): Promise<string> {
    try {
      return await this.#generationOf()
    } finally {
      this.#asked = null
    }
  }

  /** Asks after this call: joins the next question when one has been sent already. */
  #generation(): Promise<string> {
    if (this.#asked === null) {
      this.#asked = this.#ask()
      return this.#asked
    }
    this.#nextAsked ??= this.#asked
      .catch(() => undefined)
      .then(() => {
        this.#nextAsked = null
        return this.#generation()
      })
    return this.#nextAsked
  }
}

/** The text determines the vector, which is much longer. */
const keyOf = ({ meaning, ...query }: SearchQuery): string =>
  JSON.stringify({ ...query, meaning: meaning === null ? null : meaning.alone ? 'alone' : 'too' })
