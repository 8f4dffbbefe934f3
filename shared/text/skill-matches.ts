import type { SearchHit } from '../ports/search-index.js'
import type { Skill } from '../records/skill.js'
import { isUnspaced, tokenize } from './analyze.js'
import { findSkillMatches, type TokenPattern } from './find-matches.js'
import type { SearchText } from './parse-search-text.js'
import { isCorrectable, queryTypos, toleratedTypos } from './spelling.js'

/** Maximum number of words that are joined to one. */
export const maxJoined = 3

/**
 * The positions in a matching skill of the words of a text: as written, completed, corrected, joined or split. The same
 * for every index, so that none has to return match positions.
 */
export function matchesIn(skill: Skill, text: SearchText): NonNullable<SearchHit['matches']> {
  const texts = [skill.name, skill.repo, skill.owner, skill.description ?? '', ...skill.topics]
  const words = new Set(texts.flatMap((each) => tokenize(each).map((token) => token.text)))
  const terms = text.terms.map((term, position) => ({
    ...term,
    prefix: text.lastIsPrefix && position === text.terms.length - 1,
  }))
  const written = terms.map(({ tokens, prefix }): TokenPattern => ({ tokens, prefix }))
  // Phrases and runs of unspaced script are used as they are.
  const singleWords = terms.map(({ tokens, quoted, prefix }) => {
    const [word = ''] = tokens
    return quoted || tokens.length > 1 || isUnspaced(word) ? null : { word, prefix }
  })
  return findSkillMatches(skill, [
    ...written,
    ...singleWords.flatMap((term) =>
      term === null ? [] : [...corrected(term.word, term.prefix, words), ...splitWords(term.word, words)],
    ),
    ...joinedWords(singleWords),
  ])
}

function corrected(word: string, prefix: boolean, words: Set<string>): TokenPattern[] {
  const tolerated = toleratedTypos(word)
  return tolerated === 0
    ? []
    : [...words]
        .filter((other) => isCorrectable(other) && queryTypos(word, other, prefix, tolerated) <= tolerated)
        .map((other) => ({ tokens: [other], prefix: false }))
}

/** A word split in two adjacent ones. */
function splitWords(word: string, words: Set<string>): TokenPattern[] {
  const letters = [...word]
  return letters
    .slice(1)
    .map((_, at) => [letters.slice(0, at + 1).join(''), letters.slice(at + 1).join('')])
    .filter((parts) => parts.every((part) => words.has(part)))
    .map((tokens) => ({ tokens, prefix: false }))
}

/** Adjacent words as one word. */
const joinedWords = (terms: ({ word: string; prefix: boolean } | null)[]): TokenPattern[] =>
  terms.flatMap((_, start) =>
    Array.from({ length: maxJoined - 1 }, (_more, more) => terms.slice(start, start + more + 2))
      .filter((parts, more) => parts.length === more + 2)
      .flatMap((parts) => {
        const spaced = parts.filter((part) => part !== null)
        return spaced.length < parts.length
          ? []
          : [{ tokens: [spaced.map(({ word }) => word).join('')], prefix: spaced.at(-1)?.prefix ?? false }]
      }),
  )
