import type { EmbedderKind } from '../ports/embedder.js'
import type { Placement } from '../ports/search-index.js'
import { fuse, meaningWeight } from './fuse.js'

/** A hit in the order by words or in that by meaning. */
interface Ordered {
  placement: Placement
  score: number | null
  /** The cosine between the meanings of text and skill; null, absent: it is not one of the nearest. */
  similarity?: number | null
}

/**
 * The hits by words and those by meaning in one order: exact names first, then both orders fused.
 *
 * @param byWords the best first
 * @param near the nearest first, with the placement `meaning`
 * @param keyOf unique in each of the two; of a hit in both, or of copies, the hit by words is shown
 */
export function mergeOrders<Hit extends Ordered>(
  byWords: Hit[],
  near: Hit[],
  keyOf: (hit: Hit) => string | number,
  kind: EmbedderKind,
): Hit[] {
  const hits = new Map([...near, ...byWords].map((hit) => [keyOf(hit), hit]))
  const similarities = new Map(near.map((hit) => [keyOf(hit), hit.similarity]))
  const placed = (key: string | number, score?: number): Hit[] => {
    const hit = hits.get(key)
    return hit === undefined
      ? []
      : [{ ...hit, score: score ?? hit.score, similarity: hit.similarity ?? similarities.get(key) ?? null }]
  }
  const isExact = ({ placement }: Hit) => placement === 'owner/repo' || placement === 'name'
  const exact = byWords.filter(isExact).map(keyOf)
  const others = byWords.filter((hit) => !isExact(hit))
  const named = new Set(exact)
  const fused = fuse(
    others.map(keyOf),
    near.map(keyOf).filter((key) => !named.has(key)),
    meaningWeight(kind, others[0]?.placement),
  )
  return [...exact.flatMap((key) => placed(key)), ...fused.flatMap(({ key, score }) => placed(key, score))]
}
