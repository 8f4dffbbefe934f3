import { searchSettings } from '../search-settings.js'

/** Words are compared by the variants of their beginning only: SymSpell's bound on the size of its map. */
const prefixLength = 7

/** Whether a word takes part in correction: of a length that people type, and not a number. */
export const isCorrectable = (word: string): boolean => /^(?!\p{N}+$)[\p{L}\p{N}]{4,48}$/u.test(word)

/** How many typos a word forgives. */
export function forgivenTypos(word: string): 0 | 1 | 2 {
  const letters = [...word].length
  if (!isCorrectable(word) || letters < searchSettings.typos.one) {
    return 0
  }
  return letters < searchSettings.typos.two ? 1 : 2
}

/**
 * The beginning of a word with up to `deletions` letters left out, itself included. Two words within that many edits
 * share such a variant: Wolf Garbe's symmetric delete algorithm (SymSpell), with its prefix filter.
 */
export function spellingVariants(word: string, deletions: 0 | 1 | 2): Set<string> {
  let edge = new Set([[...word].slice(0, prefixLength).join('')])
  const variants = new Set(edge)
  for (let round = 0; round < deletions; round += 1) {
    edge = new Set([...edge].flatMap(withOneLeftOut))
    for (const variant of edge) {
      variants.add(variant)
    }
  }
  return variants
}

const withOneLeftOut = (word: string): string[] => {
  const letters = [...word]
  return letters.map((_, position) => letters.filter((_letter, other) => other !== position).join(''))
}

/** How deep a word of the index is entered into the map: as deep as a query for it may have typos. */
export const indexedDeletions = (word: string): 1 | 2 => ([...word].length >= searchSettings.typos.two - 2 ? 2 : 1)

/** Whether the map finds every word that begins with something within one typo of `word`. */
export const mapFindsBeginnings = (word: string): boolean => [...word].length >= prefixLength

const typedLetters = [...'abcdefghijklmnopqrstuvwxyz0123456789']

/** Everything within one typo of a word behind its first letter; what is longer begins with one of these. */
export function oneTypoVariants(word: string): Set<string> {
  const letters = [...word]
  const variants = new Set<string>()
  for (let at = 1; at < letters.length; at += 1) {
    const before = letters.slice(0, at).join('')
    const here = letters[at] ?? ''
    const after = letters.slice(at + 1).join('')
    variants.add(before + after)
    variants.add(before + (letters[at + 1] ?? '') + here + letters.slice(at + 2).join(''))
    for (const letter of typedLetters) {
      variants.add(before + letter + after)
      variants.add(before + letter + here + after)
    }
  }
  variants.delete(word)
  return variants
}

/** Edits between two words: insertions, deletions, substitutions, and swaps of neighbours. */
export const typosBetween = (a: string, b: string): number => [...editRows(a, b)].at(-1)?.at(-1) ?? 0

/**
 * With how many typos a word that was asked for stands for another. One in the first letter counts twice, and beside it
 * no other is forgiven.
 *
 * @param unfinished whether it may also stand for the beginning of `other`
 * @returns more than `most`: it does not stand for it
 */
export function typosAs(word: string, other: string, unfinished: boolean, most: 1 | 2): number {
  const sameFirst = other[0] === word[0]
  const typos = unfinished ? typosInBeginning(word, other, sameFirst ? most : 1) : typosBetween(word, other)
  return sameFirst ? typos : typos <= 1 ? 2 : 3
}

/** As Levenshtein automata take a beginning: the first one that no more letters could bring closer to the word. */
function typosInBeginning(word: string, other: string, most: number): number {
  let typos = Number.POSITIVE_INFINITY
  for (const row of editRows(word, other)) {
    typos = row.at(-1) ?? typos
    if (typos <= most && typos === Math.min(...row)) {
      return typos
    }
  }
  return typos
}

/** For nothing, and then each further letter of `b`: how many edits it takes from `a`'s first 0, 1, 2 … letters. */
function* editRows(a: string, b: string): Generator<number[]> {
  const [from, to] = [[...a], [...b]]
  let before: number[] = []
  let last = [0, ...from.map((_, at) => at + 1)]
  yield last
  for (const [at, letter] of to.entries()) {
    const row = [at + 1]
    for (const [place, wanted] of from.entries()) {
      const edits = [
        (last[place] ?? 0) + (wanted === letter ? 0 : 1),
        (last[place + 1] ?? 0) + 1,
        (row[place] ?? 0) + 1,
      ]
      if (place > 0 && at > 0 && wanted === to[at - 1] && from[place - 1] === letter) {
        edits.push((before[place - 1] ?? 0) + 1)
      }
      row.push(Math.min(...edits))
    }
    before = last
    last = row
    yield row
  }
}
