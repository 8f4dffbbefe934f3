import type { SearchParams } from 'meilisearch'
import type { Vector } from '../../../ports/embedder.js'
import type { SearchPage, SearchQuery } from '../../../ports/search-index.js'
import { skillOf } from '../../../records/skill.js'
import { searchSettings } from '../../../search-settings.js'
import { firstOfRepositories } from '../../../text/fold-hits.js'
import { parseSearchText } from '../../../text/parse-search-text.js'
import type { Synonyms } from '../../../text/synonyms.js'
import { facetsOf, type MeiliTarget, multiSearch } from './multi-search.js'
import type { MeiliSearch } from './prepared-search.js'
import { filterConditions, isOneOf, sortOrder } from './query.js'
import { rankedPage } from './ranked-page.js'
import { semanticPage } from './semantic-page.js'
import { sortedPage } from './sorted-page.js'
import { isZero, roundedVector } from './vectors.js'
import type { WordCounts } from './word-counts.js'

/** Where and how searches are made. */
export interface SearchTarget extends MeiliTarget {
  synonyms: Synonyms
  counts: WordCounts
  /** The embedder of the vectors of queries; null: there are none. */
  embedder: string | null
}

/** Searches an index, mostly in one request; see the port. */
export async function searchSkills(
  { synonyms, counts, embedder, ...target }: SearchTarget,
  query: SearchQuery,
  timeoutMs: number,
): Promise<SearchPage> {
  const text = parseSearchText(query.text)
  if (text.terms.length + text.excluded.length === 0) {
    return { hits: [], total: 0, totalIsLowerBound: false, facets: facetsOf(query.facets), byMeaning: false }
  }
  const signal = AbortSignal.timeout(timeoutMs)
  const send = (queries: SearchParams[]) => multiSearch({ ...target, signal }, queries)
  const meaning = text.terms.length === 0 ? null : meaningOf(query, embedder)
  const search: MeiliSearch = {
    query,
    text,
    conditions: filterConditions(query.filters),
    meaning,
    synonyms,
    counts,
    send,
  }
  return query.distinct === undefined ? pageOf(search) : distinctPage(search)
}

function pageOf(search: MeiliSearch): Promise<SearchPage> {
  const { query, meaning } = search
  const sort = sortOrder(query)
  if (sort !== null) {
    return sortedPage(search, sort)
  }
  return meaning?.alone ? semanticPage(search, meaning) : rankedPage(search)
}

/**
 * The best hit of each repository. All hits that pages reach are read for it: Meilisearch leaves out by one attribute of a
 * search only, which is that of the copies, and would not say how many it leaves out.
 */
async function distinctPage(search: MeiliSearch): Promise<SearchPage> {
  const { query, conditions, send } = search
  const { offset, limit, facets } = query
  const all = { ...query, offset: 0, limit: searchSettings.maxReach, facets: [] }
  const page = await pageOf({ ...search, query: all })
  const first = firstOfRepositories(page.hits, (hit) => skillOf(hit).id)
  const ids = facets.length === 0 ? [] : first.map(({ hit }) => skillOf(hit).id)
  const [counted] =
    ids.length === 0 ? [] : await send([{ filter: [...conditions, isOneOf('id', ids)], facets, limit: 0 }])
  return {
    ...page,
    hits: first.slice(offset, offset + limit).map(({ hit, others }) => ({ ...hit, others })),
    total: first.length,
    facets: facetsOf(facets, [counted?.facetDistribution ?? {}]),
  }
}

/** Null where the words decide: no skill is near to a text of words that the model does not know. */
function meaningOf({ meaning, sort }: SearchQuery, embedder: string | null): MeiliSearch['meaning'] {
  const vector: Vector | null = sort === 'relevance' ? (meaning?.vector ?? null) : null
  return meaning === null || vector === null || embedder === null || isZero(vector)
    ? null
    : { vector: roundedVector(vector), embedder, alone: meaning.alone }
}
