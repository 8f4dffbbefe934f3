import { type FusionWeights, fusedScore } from '../../../text/fuse.js'
import { maxCandidates } from './candidates.js'
import type { FirstHits } from './first-hits.js'
import type { MeiliHit } from './multi-search.js'
import { type Place, type PlacedHit, unweighed } from './places.js'

/** The weighed hits, then the others as Meilisearch orders them. */
export function orderByWords({ named, worded, rarity }: FirstHits, places: (hit: MeiliHit) => Place): PlacedHit[] {
  const placed = (hit: MeiliHit) => ({ hit, ...places(hit), similarity: null })
  // Several queries have found hits of a task, or of rare words: Meilisearch has no order for them.
  const weighed = rarity === null ? maxCandidates : worded.length
  return [
    ...[...named, ...worded.slice(0, weighed)].map(placed).sort((a, b) => b.score - a.score || a.hit.rank - b.hit.rank),
    ...worded
      .slice(weighed)
      .map((hit) => ({ hit, ...unweighed(places(hit)), similarity: null }))
      .sort((a, b) => b.score - a.score),
  ]
}

/** Places the hits after those of the first request. */
export function placeRest(
  hits: MeiliHit[],
  { places, placed, weights }: { places: (hit: MeiliHit) => Place; placed: PlacedHit[]; weights: FusionWeights },
): PlacedHit[] {
  // As the fusion scores those that only the words find.
  const max = placed.at(-1)?.score ?? 1
  return hits
    .map((hit) => ({ hit, ...unweighed(places(hit)), similarity: null }))
    .sort((a, b) => b.score - a.score)
    .map((each) => {
      const score = fusedScore({ fields: each.score, text: 0, similarity: null }, weights)
      return { ...each, score: Math.min(max, score) }
    })
}
