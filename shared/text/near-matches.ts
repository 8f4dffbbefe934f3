import distance from 'damerau-levenshtein'

/** Minimum similarity of a suggestion: half of the letters in place. */
const leastSimilarity = 0.5

/** The similarity of what only continues the id: of a skill whose name is unfinished, and of those in a repository. */
const continued = 0.9

function similarityOf(id: string, candidate: string): number {
  if (candidate.startsWith(id)) {
    return candidate === id ? 1 : continued
  }
  const longest = Math.max(id.length, candidate.length)
  // What both begin with needs no comparison, which takes the time of the product of both lengths.
  let start = 0
  while (id[start] === candidate[start]) {
    start += 1
  }
  const [own, other] = [id.slice(start), candidate.slice(start)]
  const isFar = Math.abs(own.length - other.length) > longest * (1 - leastSimilarity)
  return isFar ? 0 : 1 - distance(own, other).steps / longest
}

/** The candidates that are similar to `id`, best first, ties by name. */
export function rankNearMatches(id: string, candidates: Iterable<string>, limit: number): string[] {
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, similarity: similarityOf(id, candidate) }))
    .filter(({ similarity }) => similarity >= leastSimilarity)
    .sort((a, b) => b.similarity - a.similarity || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}
