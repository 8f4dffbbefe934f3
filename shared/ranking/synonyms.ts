import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../runtime/project-root.js'
import { stemOf, wordsIn } from '../text/analyze.js'

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
  const others = new Map<string, Map<string, string[]>>()
  const all = new Map<string, string[]>()
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) {
      continue
    }
    const names = line.split('=').map(wordsIn)
    if (names.length < 2 || names.some((name) => name.length === 0)) {
      throw new Error(`line ${at + 1}: needs two names or more, separated by "=", each with a letter or digit`)
    }
    const group = new Map(names.map((name) => [keyOf(name), name] as const))
    for (const [key, name] of group) {
      all.set(key, name)
      const known = others.get(key) ?? new Map<string, string[]>()
      for (const [otherKey, other] of group) {
        if (otherKey !== key) {
          known.set(otherKey, other)
        }
      }
      others.set(key, known)
    }
  }
  const lists = new Map([...others].map(([key, names]) => [key, [...names.values()]]))
  const names = [...all.values()]
  return {
    of: (phrase) => lists.get(keyOf(phrase)) ?? [],
    names,
    longest: Math.max(0, ...names.map(({ length }) => length)),
  }
}

const readShipped = (): string => readFileSync(join(projectRoot(), 'infra', 'synonyms.txt'), 'utf8')
let shipped: Synonyms | null = null

/**
 * The synonyms that are shipped with the project, with those of an operator's file.
 *
 * @param file its path; absent: none
 * @throws Error when the file cannot be read, or has a bad line
 */
export function readSynonyms(file?: string): Synonyms {
  if (file !== undefined) {
    return parseSynonyms(`${readFileSync(file, 'utf8')}\n${readShipped()}`)
  }
  shipped ??= parseSynonyms(readShipped())
  return shipped
}
