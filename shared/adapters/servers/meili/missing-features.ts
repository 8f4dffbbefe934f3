import type { SearchQuery } from '../../../ports/search-index.js'
import { refusalCode } from './client.js'

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
