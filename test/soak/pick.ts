import type { Random } from '../../services/indexer/seed/random.js'

/** One of a list that is not empty. */
export const pick = <T>(random: Random, list: readonly T[]): T => list[random.between(0, list.length - 1)] as T

/** One of several, each as often as its part of the whole says. */
export function pickByParts<T>(random: Random, list: readonly (readonly [T, number])[]): T {
  let left = random.next() * list.reduce((sum, [, parts]) => sum + parts, 0)
  const chosen = list.find(([, parts]) => {
    left -= parts
    return left < 0
  })
  return (chosen ?? (list[0] as readonly [T, number]))[0]
}
