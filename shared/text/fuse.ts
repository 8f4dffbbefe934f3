import type { EmbedderKind } from '../ports/embedder.js'
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
  /** How well its text fits: 0 to 1, and more in a short text. */
  text: number
  /** The cosine with the meaning of the query; null: it is not among the nearest. */
  similarity: number | null
}

/**
 * The three as one score, from 0 to 0.97: a weighted sum, so that a strong match of one kind needs no second one.
 *
 * @param kind of the vectors; null: without meaning
 * @param isTask whether the query describes a task in many words
 */
export function fusedScore({ fields, text, similarity }: Evidence, kind: EmbedderKind | null, isTask: boolean): number {
  const weights = searchSettings.fusion[isTask ? 'task' : 'words']
  const meaning = kind === null ? 0 : weights[kind]
  const near = similarity === null ? 0 : Math.max(0, similarity - searchSettings.minSimilarity)
  const sum = fields + weights.text * Math.min(searchSettings.text.most, text) + meaning * near
  return rounded((bestFused * sum) / (bestFused + weights.text + meaning * (1 - searchSettings.minSimilarity)))
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

/**
 * Hits in the order of relevance: exact names as they stand, then the others by their fused score.
 *
 * @param hits of equal scores the first comes first
 */
export function inFusedOrder<Hit extends Candidate>(hits: Hit[], kind: EmbedderKind | null, isTask: boolean): Hit[] {
  const isExact = ({ placement }: Hit) => placement === 'owner/repo' || placement === 'name'
  const others = hits
    .filter((hit) => !isExact(hit))
    .map((hit): Hit => {
      const { score, text = 0, similarity = null } = hit
      return { ...hit, score: fusedScore({ fields: score ?? 0, text, similarity }, kind, isTask) }
    })
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
  return [...hits.filter(isExact), ...others]
}
