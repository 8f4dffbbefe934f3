import type { Placement } from '../ports/search-index.js'
import { repositoryId } from '../records/skill.js'

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

/**
 * The best hit of each repository, with the number of the others.
 *
 * @param hits the best first
 * @param idOf the id of a hit's skill
 */
export function firstOfRepositories<Hit>(
  hits: readonly Hit[],
  idOf: (hit: Hit) => string,
): { hit: Hit; others: number }[] {
  const shown = new Map<string, { hit: Hit; others: number }>()
  for (const hit of hits) {
    const repository = repositoryId(idOf(hit))
    const better = shown.get(repository)
    if (better === undefined) {
      shown.set(repository, { hit, others: 0 })
    } else {
      better.others += 1
    }
  }
  return [...shown.values()]
}
