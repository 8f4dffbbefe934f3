import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import distance from 'damerau-levenshtein'
import { projectRoot } from '../runtime/project-root.js'
import { searchSettings } from '../search-settings.js'
import { isUnspaced, nameKey, stemOf, wordsIn } from '../text/analyze.js'
import type { SearchTerm } from './interpret-query.js'

/** Words are compared by the variants of their beginning only: SymSpell's bound on the size of its map. */
const prefixLength = 7

/** Whether a word is corrected: of a length that people type, and not a number. */
export const isCorrectable = (word: string): boolean => /^(?!\p{N}+$)[\p{L}\p{N}]{4,48}$/u.test(word)

/** Whether a word is what others are corrected to: those may have up to two letters more or less. */
export const isCorrection = (word: string): boolean => /^(?!\p{N}+$)[\p{L}\p{N}]{3,50}$/u.test(word)

/** The number of typos tolerated in a word. */
export function toleratedTypos(word: string): 0 | 1 | 2 {
  const letters = [...word].length
  if (!isCorrectable(word) || letters < searchSettings.typos.one) {
    return 0
  }
  return letters < searchSettings.typos.two ? 1 : 2
}

/**
 * The beginning of a word with up to `deletions` letters deleted, itself included. Two words within this number of
 * edits share such a variant: Wolf Garbe's symmetric delete algorithm (SymSpell), with its prefix filter.
 */
export function spellingVariants(word: string, deletions: 0 | 1 | 2): Set<string> {
  let edge = new Set([[...word].slice(0, prefixLength).join('')])
  const variants = new Set(edge)
  for (let round = 0; round < deletions; round += 1) {
    edge = new Set([...edge].flatMap(singleDeletions))
    for (const variant of edge) {
      variants.add(variant)
    }
  }
  return variants
}

const singleDeletions = (word: string): string[] => {
  const letters = [...word]
  return letters.map((_, position) => letters.filter((_letter, other) => other !== position).join(''))
}

/** Deletions of a word of the index in the map: the typos that a query for it may have. */
export const indexedDeletions = (word: string): 1 | 2 => ([...word].length >= searchSettings.typos.two - 2 ? 2 : 1)

/**
 * The number of typos between a query's word and another. A typo in the first letter counts twice, and then no other
 * one is tolerated.
 *
 * @returns more than `max`: no match
 */
export function queryTypos(word: string, other: string, max: 1 | 2): number {
  const sameFirst = other[0] === word[0]
  if (!sameFirst && max === 1) {
    return 2
  }
  // A comparison takes the time of the product of both lengths.
  if (Math.abs(word.length - other.length) > max) {
    return max + 1
  }
  const typos = distance(word, other).steps
  return sameFirst ? typos : typos <= 1 ? 2 : 3
}

/** Other names of words and phrases. */
export interface Synonyms {
  /**
   * The other names of a phrase, in any of its forms.
   *
   * @param phrase folded words
   * @returns each name as folded words; empty: it has none
   */
  of(phrase: readonly string[]): readonly string[][]
  /** All names. */
  readonly names: readonly string[][]
  /** Words of the longest name. */
  readonly longest: number
}

/** Inflections of a phrase have the same key. */
const keyOf = (phrase: readonly string[]): string => phrase.map(stemOf).join(' ')

/**
 * Reads groups of synonyms: one a line, its names separated by `=`; `#` begins a comment line.
 *
 * @throws Error that names the line, when a group has fewer than two names
 */
export function parseSynonyms(text: string): Synonyms {
  const groups = new Map<string, Map<string, string[]>>()
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) {
      continue
    }
    const names = line.split('=').map(wordsIn)
    if (names.length < 2 || names.some((name) => name.length === 0)) {
      throw new Error(`line ${at + 1}: needs two names or more, separated by "=", each with a letter or digit`)
    }
    const group = new Map(names.map((name) => [keyOf(name), name]))
    for (const key of group.keys()) {
      groups.set(key, new Map([...(groups.get(key) ?? []), ...group]))
    }
  }
  const othersThan = (key: string) =>
    [...(groups.get(key) ?? [])].filter(([other]) => other !== key).map(([, name]) => name)
  const names = [...groups].map(([key, group]) => group.get(key) ?? [])
  return {
    of: (phrase) => othersThan(keyOf(phrase)),
    names,
    longest: Math.max(0, ...names.map(({ length }) => length)),
  }
}

/**
 * The synonyms that are shipped with the project, with those of an operator's file.
 *
 * @param file its path; absent: none
 * @throws Error when the file cannot be read, or has a bad line
 */
export function readSynonyms(file?: string): Synonyms {
  const own = file === undefined ? '' : readFileSync(file, 'utf8')
  return parseSynonyms(`${own}\n${readFileSync(join(projectRoot(), 'infra', 'synonyms.txt'), 'utf8')}`)
}

/** What may stand for a term, whether the index has it or not. */
export interface OtherWords {
  /** Names of the same thing. */
  synonyms: readonly string[][]
  /** The term joined with its neighbours, or its parts joined. */
  joined: string[]
  /** The word divided in two. */
  splits: string[][]
}

/** Nothing stands for the term but itself. */
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

/** Words written together as one term, such as `node.js`; see `parseSearchText`. */
const isCompound = ({ quoted, tokens }: SearchTerm): boolean => !quoted && tokens.length > 1 && !tokens.some(isUnspaced)

/** A single word that is not in quotes, of a script with spaces. */
export const isWord = ({ quoted, tokens }: SearchTerm): boolean =>
  !quoted && tokens.length === 1 && !isUnspaced(tokens[0] ?? '')

/** The synonyms of a word, and of the phrases of the query that it is a part of. */
const otherNames = (term: SearchTerm, terms: SearchTerm[], synonyms: Synonyms): string[][] =>
  (isCompound(term)
    ? [term.tokens, [nameKey(term.tokens)]]
    : phrasesWith(term, terms, { least: 1, most: synonyms.longest })
  ).flatMap((phrase) => synonyms.of(phrase))

/** A word joined with its neighbours to one. */
const joinedWith = (term: SearchTerm, terms: SearchTerm[]): string[] =>
  (isCompound(term) ? [term.tokens] : phrasesWith(term, terms, { least: 2, most: searchSettings.maxJoined })).map(
    nameKey,
  )

/** The phrases of a query that a word is a part of, of so many words. */
function phrasesWith(term: SearchTerm, terms: SearchTerm[], words: { least: number; most: number }): string[][] {
  const at = terms.indexOf(term)
  const phrases: string[][] = []
  for (let length = words.least; length <= words.most; length += 1) {
    for (let start = Math.max(0, at - length + 1); start <= at && start + length <= terms.length; start += 1) {
      const phrase = terms.slice(start, start + length)
      if (phrase.every(isWord)) {
        phrases.push(phrase.flatMap(({ tokens }) => tokens))
      }
    }
  }
  return phrases
}

/** The ways to split a word in two, each part at least two letters long. */
function splitsOf(term: SearchTerm): string[][] {
  const [word = ''] = term.tokens
  const letters = isWord(term) && isCorrectable(word) ? [...word] : []
  return letters.slice(4).map((_, at) => [letters.slice(0, at + 2).join(''), letters.slice(at + 2).join('')])
}
