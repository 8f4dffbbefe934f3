import type { EmbedderKind } from '../../../../ports/embedder.js'
import type { SearchQuery } from '../../../../ports/search-index.js'
import { searchSettings } from '../../../../search-settings.js'
import { fuse, meaningScore, meaningWeight } from '../../../../text/fuse.js'
import { phrase } from './expressions.js'
import { type Near, nearest, type Required } from './nearest.js'
import type { PreparedSearch } from './read-ranks.js'
import { exactMatches, findMatches, type Match, type Matches } from './search.js'
import type { VectorCodes } from './vector-codes.js'

/** The skills of a search by words and meaning, or by meaning alone, in its order. */
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
  return alone ? byMeaning(search, near) : fused(findMatches(search), near, kind)
}

/** The nearest, exact names first. */
function byMeaning(search: PreparedSearch, near: Near[]): Matches {
  const similarities = new Map(near.map(({ rank, similarity }) => [rank, similarity]))
  const exact = exactMatches(search).map((match) => ({ ...match, similarity: similarities.get(match.rank) ?? null }))
  const named = new Set(exact.map(({ rank }) => rank))
  const others = near.filter(({ rank }) => !named.has(rank)).map(nearMatch)
  return {
    matches: [...exact, ...others].slice(0, searchSettings.maxReach),
    areMore: others.length === near.length && near.length === searchSettings.maxReach,
  }
}

/** Exact names first, then the skills of both orders. */
function fused({ matches, areMore }: Matches, near: Near[], kind: EmbedderKind): Matches {
  const found = new Map(near.map((each): [number, Match] => [each.rank, nearMatch(each)]))
  for (const match of matches) {
    found.set(match.rank, { ...match, similarity: found.get(match.rank)?.similarity ?? null })
  }
  const isExact = ({ placement }: Match) => placement === 'owner/repo' || placement === 'name'
  const exact = matches.filter(isExact).map(({ rank }) => rank)
  const named = new Set(exact)
  const byWords = matches.filter((match) => !isExact(match))
  const others = fuse(
    byWords.map(({ rank }) => rank),
    near.filter(({ rank }) => !named.has(rank)).map(({ rank }) => rank),
    meaningWeight(kind, byWords[0]?.placement),
  )
  const all = [...exact, ...others.map(({ key }) => key)].flatMap((rank) => found.get(rank) ?? [])
  const scores = new Map(others.map(({ key, score }) => [key, score]))
  return {
    matches: all
      .slice(0, searchSettings.maxReach)
      .map((match) => ({ ...match, score: scores.get(match.rank) ?? match.score })),
    areMore: areMore || all.length > searchSettings.maxReach,
  }
}

const nearMatch = ({ rank, similarity }: Near): Match => ({
  rank,
  placement: 'meaning',
  score: meaningScore(similarity),
  similarity,
})
