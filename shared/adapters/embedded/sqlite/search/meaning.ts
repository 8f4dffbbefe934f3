import type { EmbedderKind } from '../../../../ports/embedder.js'
import type { SearchQuery } from '../../../../ports/search-index.js'
import { searchSettings } from '../../../../search-settings.js'
import { foldCopies } from '../../../../text/fold-hits.js'
import { mergeOrders } from '../../../../text/merge-orders.js'
import { foldKeys, withoutCopies } from './copies.js'
import { phrase } from './expressions.js'
import { type Near, nearest, type Required } from './nearest.js'
import type { PreparedSearch } from './read-ranks.js'
import { bounded, exactMatches, findMatches, type Match, type Matches } from './search.js'
import type { VectorCodes } from './vector-codes.js'

/** The skills of a search by words and meaning, or by meaning alone, in its order; without copies, see `foldKeys`. */
export function findByMeaning(
  search: PreparedSearch,
  codes: VectorCodes,
  { vector, kind, alone }: NonNullable<SearchQuery['meaning']>,
  required: Required,
): Matches {
  const must = [...search.narrowing.must, ...required.phrases.map(phrase)]
  const narrowed = { ...search, narrowing: { ...search.narrowing, must } }
  const { maxReach, maxNearest, enough } = searchSettings
  const wanted = alone ? { count: maxReach, enough: maxReach } : { count: maxNearest, enough }
  const near = nearest(narrowed, codes, vector, required, wanted)
  return alone ? byMeaning(search, near) : merged(search, findMatches(search), near, kind)
}

/** The nearest, exact names first. */
function byMeaning(search: PreparedSearch, near: Near[]): Matches {
  const similarities = new Map(near.map(({ rank, similarity }) => [rank, similarity]))
  const exact = exactMatches(search).map((match) => ({ ...match, similarity: similarities.get(match.rank) ?? null }))
  const named = new Set(exact.map(({ rank }) => rank))
  const others = near.filter(({ rank }) => !named.has(rank))
  return bounded(withoutCopies(search, [...exact, ...others]), near.length >= searchSettings.maxReach)
}

/** Exact names first, then the skills of both orders. */
function merged(search: PreparedSearch, { matches, areMore }: Matches, near: Near[], kind: EmbedderKind): Matches {
  const keyOf = foldKeys(search, [...matches, ...near])
  const nearest = foldCopies(near, keyOf).slice(0, searchSettings.maxNearest)
  return bounded(mergeOrders<Match>(foldCopies(matches, keyOf), nearest, keyOf, kind), areMore)
}
