import { searchSettings } from '../search-settings.js'
import { isUnspaced } from './analyze.js'
import type { SearchTerm } from './parse-search-text.js'
import { nameKey } from './skill-words.js'
import { isCorrectable } from './spelling.js'
import type { Synonyms } from './synonyms.js'

/** What may stand for a term, whether the index has it or not. */
export interface OtherWords {
  /** Names of the same thing. */
  synonyms: readonly string[][]
  /** The term joined with its neighbours, or its parts joined. */
  joined: string[]
  /** The word divided in two. */
  splits: string[][]
}

export const noOthers: OtherWords = { synonyms: [], joined: [], splits: [] }

/**
 * What may stand for a term. In a task only synonyms: words that stand next to each other there seldom name one thing, and
 * names are seldom split.
 */
export function otherWords(term: SearchTerm, terms: SearchTerm[], synonyms: Synonyms, isTask: boolean): OtherWords {
  if (isTask) {
    return isWord(term) ? { ...noOthers, synonyms: synonyms.of(term.tokens) } : noOthers
  }
  return isWord(term) || isCompound(term)
    ? { synonyms: otherNames(term, terms, synonyms), joined: joinedWith(term, terms), splits: splitsOf(term) }
    : noOthers
}

/** Words written together, see `parseSearchText`. */
const isCompound = ({ quoted, tokens }: SearchTerm): boolean => !quoted && tokens.length > 1 && !tokens.some(isUnspaced)

export const isWord = ({ quoted, tokens }: SearchTerm): boolean =>
  !quoted && tokens.length === 1 && !isUnspaced(tokens[0] ?? '')

/** The synonyms of a word, and of the phrases of the query that it is a part of. */
function otherNames(term: SearchTerm, terms: SearchTerm[], synonyms: Synonyms): string[][] {
  if (isCompound(term)) {
    return [...synonyms.of(term.tokens), ...synonyms.of([nameKey(term.tokens)])]
  }
  const at = terms.indexOf(term)
  const names: string[][] = []
  for (let length = 1; length <= synonyms.longest; length += 1) {
    for (let start = Math.max(0, at - length + 1); start <= at && start + length <= terms.length; start += 1) {
      const phrase = terms.slice(start, start + length)
      if (phrase.every(isWord)) {
        names.push(...synonyms.of(phrase.flatMap(({ tokens }) => tokens)))
      }
    }
  }
  return names
}

/** A word joined with its neighbours to one. */
function joinedWith(term: SearchTerm, terms: SearchTerm[]): string[] {
  if (isCompound(term)) {
    return [nameKey(term.tokens)]
  }
  const at = terms.indexOf(term)
  const joined: string[] = []
  for (let length = 2; length <= searchSettings.maxJoined; length += 1) {
    for (let start = Math.max(0, at - length + 1); start <= at && start + length <= terms.length; start += 1) {
      const parts = terms.slice(start, start + length)
      if (parts.every(isWord)) {
        joined.push(nameKey(parts.flatMap(({ tokens }) => tokens)))
      }
    }
  }
  return joined
}

/** The ways to split a word in two, each part at least two letters long. */
function splitsOf(term: SearchTerm): string[][] {
  const [word = ''] = term.tokens
  const letters = isWord(term) && isCorrectable(word) ? [...word] : []
  return letters.slice(4).map((_, at) => [letters.slice(0, at + 2).join(''), letters.slice(at + 2).join('')])
}
