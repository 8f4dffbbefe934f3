import type { Placement } from '../ports/search-index.js'

/** A hit, and the number of those that were folded with it. */
export type Folded<Hit> = Hit & { duplicates: number }

/**
 * Leaves out the hits whose text repeats that of a better one, and counts them there. A skill whose `owner/repo` is the
 * text stays.
 *
 * @param hits the best first
 * @param keyOf equal for copies; null, undefined: no copy of any other
 */
export function foldCopies<Hit extends { placement: Placement }>(
  hits: Hit[],
  keyOf: (hit: Hit) => string | number | null | undefined,
): Folded<Hit>[] {
  const first = new Map<string | number, Folded<Hit>>()
  return hits.flatMap((hit) => {
    const key = keyOf(hit) ?? null
    const better = key === null ? undefined : first.get(key)
    if (better !== undefined && hit.placement !== 'owner/repo') {
      better.duplicates += 1
      return []
    }
    const kept = { ...hit, duplicates: 0 }
    if (key !== null) {
      first.set(key, kept)
    }
    return [kept]
  })
}
