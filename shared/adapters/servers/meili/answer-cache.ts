import type { SearchPage, SearchQuery } from '../../../ports/search-index.js'

/** Bounds of the kept answers: pages, and characters of their records. */
const maxPages = 2_000
const maxCharacters = 32 * 1_024 * 1_024

interface KeptPage {
  generation: string
  page: SearchPage
  characters: number
}

/**
 * Answers to the latest searches. An answer is given again only while the index is the same: its generation is asked for
 * after each request has arrived, which costs less than a search. Concurrent requests share one such question.
 */
export class AnswerCache {
  readonly #generationOf: () => Promise<string>
  /** The least recently used first. */
  readonly #pages = new Map<string, KeptPage>()
  #characters = 0
  #latest: string | null = null
  #asked: Promise<string> | null = null
  #nextAsked: Promise<string> | null = null

  /** @param generationOf the state of the index: another one after each change */
  constructor(generationOf: () => Promise<string>) {
    this.#generationOf = generationOf
  }

  /** The answer to a query: a kept one, or that of `search`. */
  async answer(query: SearchQuery, search: () => Promise<SearchPage>): Promise<SearchPage> {
    const key = JSON.stringify(query)
    const asked = this.#generation()
    const kept = this.#pages.get(key)
    if (kept !== undefined && kept.generation === (await asked)) {
      this.#pages.delete(key)
      this.#pages.set(key, kept)
      return kept.page
    }
    // Asked at the same time, the search may have read the index before the generation: they belong together only when
    // the generation was the same before.
    const before = this.#latest
    const [generation, page] = await Promise.all([asked, search()])
    if (generation !== before) {
      return page
    }
    this.#keep(key, { generation, page, characters: page.hits.reduce((sum, { record }) => sum + record.length, 0) })
    return page
  }

  #keep(key: string, kept: KeptPage): void {
    this.#drop(key)
    this.#pages.set(key, kept)
    this.#characters += kept.characters
    for (const [oldest] of this.#pages) {
      if (this.#pages.size <= maxPages && this.#characters <= maxCharacters) {
        return
      }
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#characters -= this.#pages.get(key)?.characters ?? 0
    this.#pages.delete(key)
  }

  async #ask(): Promise<string> {
    try {
      this.#latest = await this.#generationOf()
      return this.#latest
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
