import distance from 'damerau-levenshtein'
import type { SearchHit, Span } from '../ports/search-index.js'
import type { Skill } from '../records/skill.js'
import { type Token, tokenize } from '../text/analyze.js'
import type { ReadQuery } from './concepts.js'

/** A sequence of tokens to find in a text; the last may be only the beginning of a word. */
export interface TokenPattern {
  tokens: string[]
  prefix: boolean
}

/** The patterns of a query's concepts: with all that stands for them. */
export const patternsOf = ({ concepts }: ReadQuery): TokenPattern[] =>
  concepts.flatMap(({ tokens, isPrefix, alternatives }) => [
    ...(isPrefix ? [{ tokens, prefix: true }] : []),
    ...alternatives.map((alternative) => ({ tokens: alternative.tokens, prefix: false })),
  ])

/** The ranges of a text that match any of `patterns`, in order; overlapping and adjacent ones are merged. */
export function findSpans(text: string, patterns: TokenPattern[]): Span[] {
  const tokens = tokenize(text)
  const ranges = patterns
    .flatMap((each) =>
      tokens.flatMap((_, position) => (matchesAt(tokens, position, each) ? [rangeOf(tokens, position, each)] : [])),
    )
    .sort((a, b) => a.start - b.start || a.end - b.end)
  const merged: { start: number; end: number }[] = []
  for (const range of ranges) {
    const last = merged.at(-1)
    if (last !== undefined && range.start <= last.end) {
      last.end = Math.max(last.end, range.end)
    } else {
      merged.push({ ...range })
    }
  }
  return merged.map(({ start, end }) => ({ start, length: end - start }))
}

/** The ranges of a skill's texts that match any of `patterns`. */
export const findSkillMatches = (skill: Skill, patterns: TokenPattern[]): NonNullable<SearchHit['matches']> => ({
  name: findSpans(skill.name, patterns),
  repo: findSpans(skill.repo, patterns),
  owner: findSpans(skill.owner, patterns),
  description: skill.description === null ? [] : findSpans(skill.description, patterns),
  topics: skill.topics.map((topic) => findSpans(topic, patterns)),
})

const matchesAt = (tokens: Token[], position: number, { tokens: words, prefix }: TokenPattern): boolean =>
  words.every((word, offset) => {
    const token = tokens[position + offset]?.text
    return prefix && offset === words.length - 1 ? token?.startsWith(word) : token === word
  })

const rangeOf = (tokens: Token[], position: number, { tokens: words }: TokenPattern) => ({
  start: tokens[position]?.start ?? 0,
  end: tokens[position + words.length - 1]?.end ?? 0,
})

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

/** An owner and a slash, with or without the beginning of a repository, or of one of its skills. */
const typedId = /^[A-Za-z0-9._-]{1,100}\/[A-Za-z0-9._-]{0,100}(?:@[A-Za-z0-9-]{0,64})?$/

/** The text as the lower-case beginning of an id; null when it is none: an owner without a slash is only a word. */
export const idBeginning = (text: string): string | null => (typedId.test(text) ? text.toLowerCase() : null)
