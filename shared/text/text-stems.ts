import type { FoundWord } from '../ports/search-index.js'
import { isUnspaced } from './analyze.js'
import type { Concept, ReadQuery } from './concepts.js'
import { stemOf } from './stem.js'

/** Longer words are digests and data, which nobody searches for. */
const maxWordLength = 40

/**
 * The different words of a long text, as an index has them: by their stems; in scripts without spaces each pair of
 * characters that follow each other, since their order in the text is not kept.
 *
 * @param words of the text, folded
 */
export const textStems = (words: readonly string[]): string[] => [...new Set(stemsOf(words))]

/**
 * By what a concept is found in a text: one of these lists, of which the text has all stems. Neither corrections nor
 * beginnings of words: among the many words of texts they find too much.
 */
export function stemsOfConcept({ alternatives }: Concept): string[][] {
  const lists = alternatives
    .filter(({ kind }) => kind === 'exact' || kind === 'joined' || kind === 'synonym')
    .map(({ tokens }) => stemsOf(tokens))
    .filter((stems) => stems.length > 0)
  return [...new Map(lists.map((stems) => [stems.join(' '), stems])).values()]
}

/** The stems of words in a row, see `textStems`. */
export function stemsOf(tokens: readonly string[]): string[] {
  const stems: string[] = []
  for (const [at, token] of tokens.entries()) {
    if (!isUnspaced(token)) {
      if (token.length <= maxWordLength) {
        stems.push(stemOf(token))
      }
      continue
    }
    const next = tokens[at + 1]
    if (next !== undefined && isUnspaced(next)) {
      stems.push(token + next)
    } else if (at === 0 || !isUnspaced(tokens[at - 1] ?? '')) {
      stems.push(token)
    }
  }
  return stems
}

/**
 * What the text of a skill adds to its fields.
 *
 * @param words how each concept is found in the fields
 * @param inText the concepts that the text has
 * @returns the words, those found too that only the text has; and the stems of these
 */
export function withText(
  { concepts, unknown }: ReadQuery,
  words: FoundWord[],
  inText: readonly Concept[],
): { words: FoundWord[]; stems: string[] } {
  if (inText.length === 0) {
    return { words, stems: [] }
  }
  const isOnlyInText = (concept: Concept | undefined, word: FoundWord | undefined) =>
    word?.match === null && concept !== undefined && inText.includes(concept)
  const found = [
    ...concepts.filter((concept, at) => isOnlyInText(concept, words[at])),
    ...unknown.filter((concept) => inText.includes(concept)),
  ]
  return {
    words: words.map((word, at) =>
      isOnlyInText(concepts[at], word) ? { ...word, match: { kind: 'exact', field: 'text' } } : word,
    ),
    stems: [...new Set(found.flatMap((concept) => stemsOfConcept(concept).flat()))],
  }
}
