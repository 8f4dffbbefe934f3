import type { EmbedderKind } from '../../../ports/embedder.js'
import { fuse, meaningWeight } from '../../../text/fuse.js'
import { maxCandidates } from './candidates.js'
import type { FirstHits } from './first-hits.js'
import type { MeiliHit } from './multi-search.js'
import type { NearHit } from './nearest.js'
import { type Place, type PlacedHit, unweighed } from './places.js'
import type { MeiliSearch } from './prepared-search.js'

/** The weighed hits, then the others as Meilisearch orders them. */
export function orderByWords({ named, worded }: FirstHits, places: (hit: MeiliHit) => Place): PlacedHit[] {
  const placed = (hit: MeiliHit) => ({ hit, ...places(hit), similarity: null, duplicates: 0 })
  return [
    ...[...named, ...worded.slice(0, maxCandidates)]
      .map(placed)
      .sort((a, b) => b.score - a.score || a.hit.rank - b.hit.rank),
    ...worded
      .slice(maxCandidates)
      .map((hit) => ({ hit, ...unweighed(places(hit)), similarity: null, duplicates: 0 }))
      .sort((a, b) => b.score - a.score),
  ]
}

/** Exact names, then the other hits in one order with the nearest. */
export function withNearest(byWords: PlacedHit[], near: NearHit[], kind: EmbedderKind): PlacedHit[] {
  const similarities = new Map(near.map(({ hit, similarity }) => [hit.id, similarity]))
  const isExact = ({ placement }: PlacedHit) => placement === 'owner/repo' || placement === 'name'
  const exact = byWords.filter(isExact)
  const exactIds = new Set(exact.map(({ hit }) => hit.id))
  const others = byWords.filter((each) => !isExact(each))
  const nearOthers = near.filter(({ hit }) => !exactIds.has(hit.id))
  const hits = new Map<string, Pick<PlacedHit, 'hit' | 'placement'>>([
    ...nearOthers.map(({ hit }) => [hit.id, { hit, placement: 'meaning' }] as const),
    ...others.map((each) => [each.hit.id, each] as const),
  ])
  const fused = fuse(
    others.map(({ hit }) => hit.id),
    nearOthers.map(({ hit }) => hit.id),
    meaningWeight(kind, others[0]?.placement),
  )
  const withSimilarity = (each: Omit<PlacedHit, 'similarity'>): PlacedHit => ({
    ...each,
    similarity: similarities.get(each.hit.id) ?? null,
  })
  return [
    ...exact.map(withSimilarity),
    ...fused.flatMap(({ key, score }) => {
      const each = hits.get(key)
      return each === undefined
        ? []
        : [withSimilarity({ hit: each.hit, placement: each.placement, score, duplicates: 0 })]
    }),
  ]
}

/** Places the hits after those of the first request. */
export function placeRest(
  hits: MeiliHit[],
  {
    search,
    places,
    placed,
    from,
  }: { search: MeiliSearch; places: (hit: MeiliHit) => Place; placed: PlacedHit[]; from: number },
): PlacedHit[] {
  const unweighedHits = hits.map((hit) => ({ hit, ...unweighed(places(hit)), similarity: null, duplicates: 0 }))
  if (search.meaning === null) {
    return unweighedHits.sort((a, b) => b.score - a.score)
  }
  // As the fusion scores those that only the words find.
  const scores = fuse(
    [...Array(from + hits.length).keys()],
    [],
    meaningWeight(search.meaning.kind, placed[0]?.placement),
  )
  const max = placed.at(-1)?.score ?? 1
  return unweighedHits.map((each, at) => ({ ...each, score: Math.min(max, scores[from + at]?.score ?? 0) }))
}
