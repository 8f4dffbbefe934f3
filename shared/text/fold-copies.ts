import type { Placement } from '../ports/search-index.js'

/**
 * Leaves out the hits that repeat a better one. A skill whose `owner/repo` is the text stays, wherever it stands.
 *
 * @param hits the best first
 * @param keyOf equal for hits of which one is shown
 */
export function foldCopies<Hit extends { placement: Placement }>(
  hits: readonly Hit[],
  keyOf: (hit: Hit) => string | number,
): Hit[] {
  const shown = new Map<string | number, Hit>()
  for (const hit of hits) {
    const better = shown.get(keyOf(hit))
    if (better === undefined || (hit.placement === 'owner/repo' && better.placement !== 'owner/repo')) {
      shown.set(keyOf(hit), hit)
    }
  }
  return hits.filter((hit) => shown.get(keyOf(hit)) === hit)
}
