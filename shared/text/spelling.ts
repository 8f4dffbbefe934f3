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
export const typosBetween = (a: string, b: string): number =>
  editsBetween(a, b, { most: Number.POSITIVE_INFINITY, beginning: false })

/**
 * With how many typos a word that was asked for stands for another. One in the first letter counts twice, and beside it
 * no other is forgiven.
 *
 * @param unfinished whether it may also stand for the beginning of `other`
 * @returns more than `most`: it does not stand for it
 */
export function typosAs(word: string, other: string, unfinished: boolean, most: 1 | 2): number {
  const sameFirst = other[0] === word[0]
  if (!sameFirst && most === 1) {
    return 2
  }
  const typos = editsBetween(word, other, { most: sameFirst ? most : 1, beginning: unfinished })
  return sameFirst ? typos : typos <= 1 ? 2 : 3
}

/**
 * Edits between `a` and `b`, row by row of the usual table.
 *
 * @param options.most from where on it does not matter how many there are
 * @param options.beginning whether a beginning of `b` may be taken for it: the first one that no more letters could
 * bring closer to `a`, as Levenshtein automata do
 */
function editsBetween(a: string, b: string, { most, beginning }: { most: number; beginning: boolean }): number {
  const [from, to] = [[...a], [...b]]
  let before: number[] = []
  let last = [0, ...from.map((_, at) => at + 1)]
  for (const [at, letter] of to.entries()) {
    const row = [at + 1]
    let least = at + 1
    for (let place = 0; place < from.length; place += 1) {
      const isSame = from[place] === letter
      let edits = Math.min((last[place] ?? 0) + (isSame ? 0 : 1), (last[place + 1] ?? 0) + 1, (row[place] ?? 0) + 1)
      if (place > 0 && at > 0 && from[place] === to[at - 1] && from[place - 1] === letter) {
        edits = Math.min(edits, (before[place - 1] ?? 0) + 1)
      }
      row.push(edits)
      least = Math.min(least, edits)
    }
    const typos = row[from.length] ?? 0
    // A swap reaches over a row: one that is a single edit worse may still get better.
    if (least > most + 1 || (beginning && typos <= most && typos === least)) {
      return typos
    }
    before = last
    last = row
  }
  return last[from.length] ?? 0
}
