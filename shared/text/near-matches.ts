import distance from 'damerau-levenshtein'

/** Alike enough to be worth suggesting: half of the letters in place. */
const leastSimilarity = 0.5

/** Those of the candidates that look like `id`, best first, equally good ones by name. */
export function rankNearMatches(id: string, candidates: Iterable<string>, limit: number): string[] {
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, similarity: distance(id, candidate).similarity }))
    .filter(({ similarity }) => similarity >= leastSimilarity)
    .sort((a, b) => b.similarity - a.similarity || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}
