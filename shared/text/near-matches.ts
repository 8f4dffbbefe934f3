import distance from 'damerau-levenshtein'

/** Minimum similarity of a suggestion: half of the letters in place. */
const leastSimilarity = 0.5

/** The candidates that are similar to `id`, best first, ties by name. */
export function rankNearMatches(id: string, candidates: Iterable<string>, limit: number): string[] {
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, similarity: distance(id, candidate).similarity }))
    .filter(({ similarity }) => similarity >= leastSimilarity)
    .sort((a, b) => b.similarity - a.similarity || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}
