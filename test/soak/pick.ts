import type { Random } from '../../services/indexer/seed/random.js'

/** A random element of a non-empty list. */
export const pick = <T>(random: Random, list: readonly T[]): T => list[random.between(0, list.length - 1)] as T

/** A random element, with probabilities proportional to the weights. */
export function pickWeighted<T>(random: Random, list: readonly (readonly [T, number])[]): T {
  let left = random.next() * list.reduce((sum, [, weight]) => sum + weight, 0)
  const chosen = list.find(([, weight]) => {
    left -= weight
    return left < 0
  })
  return (chosen ?? (list[0] as readonly [T, number]))[0]
}
