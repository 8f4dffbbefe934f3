import { isUnspaced } from '../../text/analyze.js'

/** Longer words are compared by so many characters: the engine takes values of some 450 bytes. */
const mostCharacters = 50

/**
 * Words as values of an attribute that filters compare. A run of characters that are words of their own is there from
 * each of them on, so that any part of it is the beginning of a value.
 *
 * @param entries texts, each as its folded words in order
 */
export const typedWords = (entries: string[][]): string[] => [
  ...new Set(entries.flatMap((tokens) => tokens.map((_, at) => typedWord(runFrom(tokens, at))))),
]

/** A word, or a run of characters, as it is compared with those values. */
export const typedWord = (tokens: string[]): string => [...tokens.join('')].slice(0, mostCharacters).join('')

/** The word that stands there, or the run of characters that begins there. */
function runFrom(tokens: string[], start: number): string[] {
  const rest = tokens.slice(start, start + mostCharacters)
  const end = rest.findIndex((token) => !isUnspaced(token))
  return rest.slice(0, end === -1 ? rest.length : Math.max(end, 1))
}
