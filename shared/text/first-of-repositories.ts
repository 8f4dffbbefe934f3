import { repositoryId } from '../records/skill.js'

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
