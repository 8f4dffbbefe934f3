import type { SearchQuery } from '../../../../ports/search-index.js'
import { foldCopies, fusionWeights, inFusedOrder } from '../../../../ranking/copies.js'
import { searchSettings } from '../../../../search-settings.js'
import { findInTexts, nearest, type Required, type TextMatches } from './candidates.js'
import { foldKeys, withoutCopies, withoutNearCopies } from './copies.js'
import type { PreparedSearch } from './ranks.js'
import { bounded, exactMatches, findMatches, type Matches, type RankedMatch, weigh } from './search.js'
import type { VectorCodes } from './vector-codes.js'
import { phrase } from './vocabulary.js'

type Meaning = NonNullable<SearchQuery['meaning']>

/** The best texts that are compared with the matches of other kinds. */
const maxTexts = 50

/** The nearest skills, exact names first; of copies the best. */
export function findByMeaning(
  search: PreparedSearch,
  codes: VectorCodes,
  { vector }: Meaning,
  required: Required,
): Matches {
  const { maxReach } = searchSettings
  const near = nearest(withPhrases(search, required), codes, vector, required, { count: maxReach, enough: maxReach })
  const similarities = new Map(near.map(({ rank, similarity }) => [rank, similarity]))
  const exact = exactMatches(search).map((match) => ({ ...match, similarity: similarities.get(match.rank) ?? null }))
  const named = new Set(exact.map(({ rank }) => rank))
  const others = near.filter(({ rank }) => !named.has(rank))
  const matches = withoutCopies(search, [...exact, ...others])
  return bounded(withoutNearCopies(search, matches), near.length >= maxReach)
}

/**
 * The skills of a search by the words of their fields, the words of their texts and, where it has one, its meaning, in one
 * order; of copies the best.
 */
export function findByRelevance(
  search: PreparedSearch,
  codes: VectorCodes,
  meaning: Meaning | null,
  required: Required,
): Matches {
  const { maxNearest, maxTaskCandidates, enough } = searchSettings
  const narrowed = withPhrases(search, required)
  const near = meaning === null ? [] : nearest(narrowed, codes, meaning.vector, required, { count: maxNearest, enough })
  const texts = findInTexts(search, required.phrases)
  const { matches: byFields, areMore } = findMatches(search)
  const similarities = new Map(near.map(({ rank, similarity }) => [rank, similarity]))
  const known = new Set(byFields.map(({ rank }) => rank))
  const others = [[...similarities.keys()], [...texts.scores.keys()]].map((ranks) =>
    ranks.map((rank) => ({ rank, placement: 'meaning' as const })),
  )
  const keyOf = foldKeys(search, [...byFields, ...others.flat()])
  // Copies take no places.
  const counts = search.read.isTask ? [maxTaskCandidates, maxTaskCandidates] : [maxNearest, maxTexts]
  const best = counts.flatMap((count, at) => foldCopies(others[at] ?? [], keyOf).slice(0, count))
  const ranks = new Set(best.map(({ rank }) => rank).filter((rank) => !known.has(rank)))
  const byOthers = placed(search, [...ranks], texts)
  const found = [...byFields, ...byOthers]
  for (const match of found) {
    match.text = texts.scores.get(match.rank) ?? 0
    match.similarity = similarities.get(match.rank) ?? null
  }
  const matches = inFusedOrder(found, fusionWeights(found, meaning !== null))
  const folded = withoutNearCopies(search, foldCopies(matches, keyOf))
  return { ...bounded(folded, areMore), conceptsIn: texts.conceptsIn }
}

/** The text of each skill must have the phrases. */
const withPhrases = (search: PreparedSearch, { phrases }: Required): PreparedSearch => ({
  ...search,
  narrowing: { ...search.narrowing, must: [...search.narrowing.must, ...phrases.map(phrase)] },
})

/** Skills that were found by text or meaning: their fields may have some of the words nevertheless. */
function placed(search: PreparedSearch, ranks: number[], texts: TextMatches): RankedMatch[] {
  return weigh(search, ranks).map((match) =>
    match.score === 0 ? { ...match, placement: texts.scores.has(match.rank) ? 'text' : 'meaning' } : match,
  )
}
