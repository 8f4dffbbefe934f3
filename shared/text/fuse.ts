import type { EmbedderKind } from '../ports/embedder.js'
import type { Placement } from '../ports/search-index.js'
import { searchSettings } from '../search-settings.js'

/** The best score that fusion gives: above it are exact names. */
const bestFused = 0.97

/** The score in steps of a thousandth. */
const rounded = (score: number): number => Math.round(score * 1_000) / 1_000

/** The score of a skill that only its meaning places: the cosine, and 0 where that is negative. */
export const meaningScore = (similarity: number): number => rounded(Math.max(0, similarity))

/**
 * Two orders as one, by reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): a place counts 1 / (k + place),
 * in the order by meaning `weight` times that.
 *
 * @param weight see `meaningWeight`
 * @returns the keys of both, the best first, in the order by words where they tie; scores from 0 to 0.97
 */
export function fuse<K>(byWords: readonly K[], byMeaning: readonly K[], weight: number): { key: K; score: number }[] {
  const { k } = searchSettings.fusion
  const sums = new Map(byWords.map((key, at) => [key, 1 / (k + at + 1)]))
  for (const [at, key] of byMeaning.entries()) {
    sums.set(key, (sums.get(key) ?? 0) + weight / (k + at + 1))
  }
  const best = (1 + weight) / (k + 1)
  return [...sums]
    .sort(([, a], [, b]) => b - a)
    .map(([key, sum]) => ({ key, score: rounded((bestFused * sum) / best) }))
}

/** What a place in the order by meaning counts, compared with one by words. @param best the placement of the best skill by words */
export const meaningWeight = (kind: EmbedderKind, best: Placement | undefined): number =>
  searchSettings.fusion[kind][best === 'all words' ? 'allWords' : 'someWords']
