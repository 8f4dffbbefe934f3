import type { Match, SearchHit } from '../ports/search-index.js'
import type { Skill } from '../records/skill.js'
import { type Token, tokenize } from './analyze.js'
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
export function findMatches(text: string, patterns: TokenPattern[]): Match[] {
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
  name: findMatches(skill.name, patterns),
  repo: findMatches(skill.repo, patterns),
  owner: findMatches(skill.owner, patterns),
  description: skill.description === null ? [] : findMatches(skill.description, patterns),
  topics: skill.topics.map((topic) => findMatches(topic, patterns)),
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
