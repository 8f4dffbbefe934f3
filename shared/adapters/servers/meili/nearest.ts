import type { SearchParams } from 'meilisearch'
import { searchSettings } from '../../../search-settings.js'
import { meaningScore } from '../../../text/fuse.js'
import type { SearchTerm, SearchText } from '../../../text/parse-search-text.js'
import { stemOf } from '../../../text/stem.js'
import type { MeiliHit, MeiliResponse } from './multi-search.js'
import { linesOf, type PlacedHit } from './places.js'
import { retrieved } from './prepared-search.js'
import { cosineOf } from './vectors.js'

/** A hit that is near to a meaning. */
export interface NearHit extends PlacedHit {
  placement: 'meaning'
  similarity: number
}

/**
 * The query for the skills that are nearest to a vector. Meilisearch could leave out those below a score itself, but
 * then it compares every vector of the index.
 */
export const nearestTo = (vector: number[], embedder: string, filter: string[], limit: number): SearchParams => ({
  vector,
  hybrid: { embedder, semanticRatio: 1 },
  filter,
  limit,
  showRankingScore: true,
  attributesToRetrieve: retrieved,
})

/** The hits of a query for the nearest that are near enough, the nearest first. Documents without a vector come last. */
export const nearEnough = (response: MeiliResponse | undefined): NearHit[] =>
  (response?.hits ?? [])
    .map((hit) => nearHit(hit, Math.round(cosineOf(hit._rankingScore ?? 0) * 1_000) / 1_000))
    .filter(({ similarity }) => similarity >= searchSettings.minSimilarity)

const nearHit = (hit: MeiliHit, similarity: number): NearHit => ({
  hit,
  placement: 'meaning',
  score: meaningScore(similarity),
  similarity,
})

/** Whether a skill has the phrases of a text, and nothing that it excludes: Meilisearch compares nothing but vectors. */
export function allows({ terms, excluded }: SearchText, hit: MeiliHit): boolean {
  const phrases = terms.filter(({ quoted }) => quoted)
  if (phrases.length + excluded.length === 0) {
    return true
  }
  const lines = linesOf(hit)
  return phrases.every((term) => contains(lines, term)) && !excluded.some((term) => contains(lines, term))
}

/** Whether a skill's words contain a phrase as Meilisearch finds it: a single word is also found by its stem. */
export const contains = (lines: string, { tokens }: SearchTerm): boolean =>
  lines.includes(` ${tokens.join(' ')} `) ||
  (tokens.length === 1 && lines.split(/\s+/).some((word) => stemOf(word) === tokens[0]))
