import type { Placement } from '../ports/search-index.js'
import { searchSettings } from '../search-settings.js'

/** The best score that fusion gives: above it are exact names. */
const bestFused = 0.97

/** The score in steps of a thousandth. */
const rounded = (score: number): number => Math.round(score * 1_000) / 1_000

/** The score of a skill that only its meaning places: the cosine, and 0 where that is negative. */
export const meaningScore = (similarity: number): number => rounded(Math.max(0, similarity))

/** What a skill has of a query. */
export interface Evidence {
  /** How well its fields fit, see `placedScore`; 0: they have none of the words. */
  fields: number
  /** How well its text fits: 0 to 1. */
  text: number
  /** The cosine with the meaning of the query; null: it is not among the nearest. */
  similarity: number | null
}

/** What the text and the meaning count in one search, where the fit of the fields counts 1. */
export interface FusionWeights {
  text: number
  meaning: number
}

/** A hit before fusion. */
interface Candidate {
  placement: Placement
  /** By its fields, see `Evidence`; of an exact name its place. */
  score: number | null
  /** See `Evidence`; absent: its text has none of the words. */
  text?: number
  /** See `Evidence`; absent: the meaning does not count. */
  similarity?: number | null
}

const isExact = ({ placement }: Candidate): boolean => placement === 'owner/repo' || placement === 'name'

/**
 * The weights for these hits: the better the fields of the best one fit, the less text and meaning count, since words
 * that name a skill say more of it than those in passing, or than what is near to them.
 *
 * @param byMeaning whether the meaning counts
 */
export function fusionWeights(hits: Candidate[], byMeaning: boolean): FusionWeights {
  const best = hits.reduce((most, hit) => (isExact(hit) ? most : Math.max(most, hit.score ?? 0)), 0)
  const { text, meaning } = searchSettings.fusion
  const open = (1 - best) ** 2
  return { text: text * open, meaning: byMeaning ? meaning * open : 0 }
}

/** The three as one score, from 0 to 0.97: a weighted sum, so that a strong match of one kind needs no second one. */
export function fusedScore({ fields, text, similarity }: Evidence, weights: FusionWeights): number {
  const near = similarity === null ? 0 : Math.max(0, similarity - searchSettings.minSimilarity)
  const sum = fields + weights.text * text + weights.meaning * near
  const most = bestFused + weights.text + weights.meaning * (1 - searchSettings.minSimilarity)
  return rounded((bestFused * sum) / most)
}

/** Hits in the order of relevance: exact names as they stand, then the others by their sums, equal ones as they stand. */
export function inFusedOrder<Hit extends Candidate>(hits: Hit[], weights: FusionWeights): Hit[] {
  const others = hits
    .filter((hit) => !isExact(hit))
    .map((hit): Hit => {
      const { score, text = 0, similarity = null } = hit
      return { ...hit, score: fusedScore({ fields: score ?? 0, text, similarity }, weights) }
    })
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
  return [...hits.filter(isExact), ...others]
}
