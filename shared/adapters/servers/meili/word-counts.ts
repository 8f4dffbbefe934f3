import { LRUCache } from 'lru-cache'
import type { SearchParams } from 'meilisearch'
import { informativeTerms } from '../../../text/concepts.js'
import type { SearchText } from '../../../text/parse-search-text.js'
import { stemsOf } from '../../../text/text-stems.js'
import type { MeiliResponse } from './multi-search.js'
import { textAttribute } from './settings.js'

/** Stems whose counts are kept: those of some thousand tasks. */
const maxKept = 50_000

/** A count that is somewhat old orders words as well as a new one. */
const keptMs = 600_000

/** Words of a task that are counted: the rarest of these are searched. */
const maxCounted = 100

/** Words that Meilisearch reads of one query, and how many such queries are sent for a task. */
const wordsPerQuery = 10
const maxQueries = 3

/** How many skills have each word in their texts, asked of Meilisearch and kept for a while. */
export class WordCounts {
  readonly #counts = new LRUCache<string, number>({ max: maxKept, ttl: keptMs })

  /**
   * A text in parts: of a task the words that say the most, the rarest first, as many as Meilisearch reads of a query; of
   * another text all but the rarest word, and all but the two rarest. Words that no text has are left out.
   *
   * @returns the parts, and how much each word informs, by stem
   */
  async rarestParts(
    text: SearchText,
    send: (queries: SearchParams[]) => Promise<MeiliResponse[]>,
  ): Promise<{ parts: SearchText[]; rarity: Map<string, number> }> {
    const terms = informativeTerms(text).informative.slice(0, maxCounted)
    const stems = [...new Set(terms.flatMap(({ tokens }) => stemsOf(tokens)))]
    const [all = 0, ...counts] = await this.#count(['', ...stems], send)
    const rarity = new Map(
      stems.flatMap((stem, at) => {
        const texts = counts[at] ?? 0
        return texts === 0 ? [] : [[stem, Math.log(1 + (Math.max(0, all - texts) + 0.5) / (texts + 0.5))] as const]
      }),
    )
    const rarityOf = ({ tokens }: SearchText['terms'][number]) =>
      Math.min(...stemsOf(tokens).map((stem) => rarity.get(stem) ?? 0))
    const rarest = terms
      .filter((term) => rarityOf(term) > 0)
      .sort((a, b) => rarityOf(b) - rarityOf(a))
      .slice(0, wordsPerQuery * maxQueries)
    const parts = text.isTask
      ? Array.from({ length: Math.ceil(rarest.length / wordsPerQuery) }, (_, at) =>
          rarest.slice(at * wordsPerQuery, (at + 1) * wordsPerQuery),
        )
      : [rarest.slice(1), rarest.slice(2)].filter(({ length }) => length > 0)
    return { parts: parts.map((terms) => ({ ...text, terms })), rarity }
  }

  /** @param stems the empty one: of all skills with a text */
  async #count(stems: string[], send: (queries: SearchParams[]) => Promise<MeiliResponse[]>): Promise<number[]> {
    const unknown = stems.filter((stem) => !this.#counts.has(stem))
    const responses =
      unknown.length === 0
        ? []
        : await send(unknown.map((stem) => ({ q: `${stem} `, limit: 0, attributesToSearchOn: [textAttribute] })))
    for (const [at, stem] of unknown.entries()) {
      this.#counts.set(stem, responses[at]?.estimatedTotalHits ?? 0)
    }
    return stems.map((stem) => this.#counts.get(stem) ?? 0)
  }
}
