import type { SearchHit } from '../ports/search-index.js'
import type { Skill } from '../records/skill.js'
import { isUnspaced, tokenize } from './analyze.js'
import { findSkillMatches, type Sought } from './find-matches.js'
import type { SearchText } from './parse-search-text.js'
import { forgivenTypos, isCorrectable, typosAs } from './spelling.js'

/** At most this many words are read as one that was written apart. */
export const maxJoined = 3

/**
 * Where the words of a text stand in a skill that was found by it: as they were written, completed, corrected, written
 * together or apart. The same for every index, so that none need tell where it found them.
 */
export function matchesIn(skill: Skill, text: SearchText): NonNullable<SearchHit['matches']> {
  const texts = [skill.name, skill.repo, skill.owner, skill.description ?? '', ...skill.topics]
  const words = new Set(texts.flatMap((each) => tokenize(each).map((token) => token.text)))
  const terms = text.terms.map((term, position) => ({
    ...term,
    prefix: text.lastIsPrefix && position === text.terms.length - 1,
  }))
  const asked = terms.map(({ tokens, prefix }): Sought => ({ tokens, prefix }))
  // A phrase, or a run of a script without spaces, is taken as it is.
  const loose = terms.map(({ tokens, quoted, prefix }) => {
    const [word = ''] = tokens
    return quoted || tokens.length > 1 || isUnspaced(word) ? null : { word, prefix }
  })
  return findSkillMatches(skill, [
    ...asked,
    ...loose.flatMap((term) =>
      term === null ? [] : [...corrected(term.word, term.prefix, words), ...apart(term.word, words)],
    ),
    ...together(loose),
  ])
}

function corrected(word: string, prefix: boolean, words: Set<string>): Sought[] {
  const forgiven = forgivenTypos(word)
  return forgiven === 0
    ? []
    : [...words]
        .filter((other) => isCorrectable(other) && typosAs(word, other, prefix, forgiven) <= forgiven)
        .map((other) => ({ tokens: [other], prefix: false }))
}

/** A word as two that stand together. */
function apart(word: string, words: Set<string>): Sought[] {
  const letters = [...word]
  return letters
    .slice(1)
    .map((_, at) => [letters.slice(0, at + 1).join(''), letters.slice(at + 1).join('')])
    .filter((parts) => parts.every((part) => words.has(part)))
    .map((tokens) => ({ tokens, prefix: false }))
}

/** Neighbours as one word. */
const together = (terms: ({ word: string; prefix: boolean } | null)[]): Sought[] =>
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
