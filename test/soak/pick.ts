import type { Random } from '../../services/indexer/seed/random.js'

/** A random element of a non-empty list. */
export const pick = <T>(random: Random, list: readonly T[]): T => list[random.between(0, list.length - 1)] as T
