import { fusedScore } from '../../../text/fuse.js'
import { maxCandidates } from './candidates.js'
import type { FirstHits } from './first-hits.js'
import type { MeiliHit } from './multi-search.js'
import { type Place, type PlacedHit, unweighed } from './places.js'
import type { MeiliSearch } from './prepared-search.js'

/** The weighed hits, then the others as Meilisearch orders them. */
export function orderByWords({ named, worded }: FirstHits, places: (hit: MeiliHit) => Place): PlacedHit[] {
  const placed = (hit: MeiliHit) => ({ hit, ...places(hit), similarity: null })
  return [
    ...[...named, ...worded.slice(0, maxCandidates)]
      .map(placed)
      .sort((a, b) => b.score - a.score || a.hit.rank - b.hit.rank),
    ...worded
      .slice(maxCandidates)
      .map((hit) => ({ hit, ...unweighed(places(hit)), similarity: null }))
      .sort((a, b) => b.score - a.score),
  ]
}

/** Places the hits after those of the first request. */
export function placeRest(
  hits: MeiliHit[],
  { search, places, placed }: { search: MeiliSearch; places: (hit: MeiliHit) => Place; placed: PlacedHit[] },
): PlacedHit[] {
  // As the fusion scores those that only the words find.
  const max = placed.at(-1)?.score ?? 1
  const kind = search.meaning?.kind ?? null
  return hits
    .map((hit) => ({ hit, ...unweighed(places(hit)), similarity: null }))
    .sort((a, b) => b.score - a.score)
    .map((each) => {
      const score = fusedScore({ fields: each.score, text: 0, similarity: null }, kind, search.text.isTask)
      return { ...each, score: Math.min(max, score) }
    })
}
