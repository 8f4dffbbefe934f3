import distance from 'damerau-levenshtein'

/** Minimum similarity of a suggestion: half of the letters in place. */
const leastSimilarity = 0.5

/** The similarity of what only continues the id: of a skill whose name is unfinished, and of those in a repository. */
const continued = 0.9

const similarityOf = (id: string, candidate: string): number =>
  Math.max(distance(id, candidate).similarity, candidate.startsWith(id) ? continued : 0)

/** The candidates that are similar to `id`, best first, ties by name. */
export function rankNearMatches(id: string, candidates: Iterable<string>, limit: number): string[] {
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, similarity: similarityOf(id, candidate) }))
    .filter(({ similarity }) => similarity >= leastSimilarity)
    .sort((a, b) => b.similarity - a.similarity || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}
