import type { SearchPage, SearchQuery } from '../../../ports/search-index.js'

/** Bounds of what is kept: queries, and characters of the records of their pages. */
const maxQueries = 10_000
const maxCharacters = 32 * 1_024 * 1_024

interface KeptPage {
  /** That of the index before the search. */
  generation: string
  page: SearchPage
  characters: number
}

/**
 * Answers to repeated searches. A page is given again only while the index is the same: its generation is asked for
 * after each request has arrived, which costs less than a search. Concurrent requests share one such question. A query
 * that was not asked before costs its search only.
 */
export class AnswerCache {
  readonly #generationOf: () => Promise<string>
  /** The least recently asked first; null: asked once, not kept. */
  readonly #queries = new Map<string, KeptPage | null>()
  #characters = 0
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
      this.#keep(key, null)
      return search()
    }
    const generation = await this.#generation()
    const kept = this.#queries.get(key) ?? null
    if (kept?.generation === generation) {
      this.#keep(key, kept)
      return kept.page
    }
    const page = await search()
    this.#keep(key, { generation, page, characters: page.hits.reduce((sum, { record }) => sum + record.length, 0) })
    return page
  }

  /** Keeps this as the latest, in place of what was kept, and drops the oldest ones beyond the bounds. */
  #keep(key: string, kept: KeptPage | null): void {
    this.#drop(key)
    this.#queries.set(key, kept)
    this.#characters += kept?.characters ?? 0
    for (const [oldest] of this.#queries) {
      if (this.#queries.size <= maxQueries && this.#characters <= maxCharacters) {
        return
      }
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#characters -= this.#queries.get(key)?.characters ?? 0
    this.#queries.delete(key)
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
