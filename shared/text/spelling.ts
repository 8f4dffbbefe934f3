import distance from 'damerau-levenshtein'
import { searchSettings } from '../search-settings.js'

/** Words are compared by the variants of their beginning only: SymSpell's bound on the size of its map. */
const prefixLength = 7

/** Whether a word takes part in correction: letters only, of a length that people type. */
export const isCorrectable = (word: string): boolean => /^\p{L}{4,24}$/u.test(word)

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

/** Edits between two words: insertions, deletions, substitutions, and swaps of neighbours. */
export const typosBetween = (a: string, b: string): number => distance(a, b).steps
