import type { Random } from '../../services/indexer/seed/random.js'
import { camelCaseParts } from '../../shared/text/analyze.js'
import { pick } from '../soak/pick.js'
import { nameWords, type RelevanceSkill, type Vocabulary } from './words.js'

const letters = [...'abcdefghijklmnopqrstuvwxyz']

/** A name while it is being typed: without its last third. @returns null when fewer than 3 letters remain */
export function prefixOf(name: string): string | null {
  const characters = [...name]
  const begun = characters.slice(0, characters.length - Math.floor(characters.length / 3)).join('')
  const prefix = begun.trimEnd()
  return prefix !== name && [...prefix].length >= 3 ? prefix : null
}

/** A name with one edit inside one of its words of 5 or more letters. @returns null when it has none */
export function withTypo(name: string, random: Random): string | null {
  const words = [...name.matchAll(/(?<![\p{L}\p{N}])[A-Za-z]{5,}(?![\p{L}\p{N}\p{M}])/gu)]
  if (words.length === 0) {
    return null
  }
  const { 0: word, index } = pick(random, words)
  return name.slice(0, index) + misspell(word, random) + name.slice(index + word.length)
}

/** One letter left out, replaced, added, or swapped with the next; never the first letter. */
function misspell(word: string, random: Random): string {
  const at = random.between(1, word.length - 2)
  const [before, letter = '', next = '', after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)]
  const other = pick(
    random,
    letters.filter((each) => each !== letter.toLowerCase()),
  )
  switch (random.between(0, 3)) {
    case 0:
      return before + other + next + after
    case 1:
      return before + other + letter + next + after
    case 2:
      // Two equal letters cannot be swapped.
      return letter.toLowerCase() === next.toLowerCase() ? before + next + after : before + next + letter + after
    default:
      return before + next + after
  }
}

/** A name of two words, written together. @returns null for other names */
export function joinedName(name: string): string | null {
  const words = nameWords(name)
  return words.length === 2 && words.every((word) => word.length > 1) ? words.join('').toLowerCase() : null
}

/**
 * A name of one word, written apart: at its capitals, or where two words of other records meet.
 *
 * @returns null for other names
 */
export function splitName(name: string, vocabulary: Vocabulary): string | null {
  const [word = '', ...others] = nameWords(name)
  if (others.length > 0) {
    return null
  }
  const lower = word.toLowerCase()
  const parts = camelCaseParts(word)
  if (parts.length > 1 && parts.join('') === lower) {
    return parts.join(' ')
  }
  const halves = Array.from({ length: Math.max(0, lower.length - 5) }, (_, at) => [
    lower.slice(0, at + 3),
    lower.slice(at + 3),
  ])
  const count = (words: string[]): number => Math.min(...words.map((each) => vocabulary.count(each)))
  const [best] = halves.sort((a, b) => count(b) - count(a))
  // A word of fewer records may be a fragment.
  return best !== undefined && count(best) >= 3 ? best.join(' ') : null
}

/** The words of a name in another order. @returns null when there is no other */
export function reorderedName(name: string, random: Random): string | null {
  const words = nameWords(name)
  const by = random.between(1, Math.max(1, words.length - 1))
  const turned = [...words.slice(by), ...words.slice(0, by)].join(' ')
  return words.length < 2 || turned.toLowerCase() === words.join(' ').toLowerCase() ? null : turned
}

/** A name and an informative word of the description. @returns null when there is none */
export function nameWithWord(skill: RelevanceSkill, vocabulary: Vocabulary, random: Random): string | null {
  const words = vocabulary.informativeWords(skill)
  return words.length === 0 ? null : `${skill.name} ${pick(random, words)}`
}
