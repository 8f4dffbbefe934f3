import type { Vocabulary } from '../../../text/concepts.js'
import { queryTypos, toleratedTypos } from '../../../text/spelling.js'
import { stemOf } from '../../../text/stem.js'
import { stemsOf } from '../../../text/text-stems.js'

/**
 * The words of the skills that Meilisearch found. It leaves out frequent words of a query first: a word that more of the
 * found skills contain informs more.
 */
export class CandidateWords implements Vocabulary {
  /** By word, the number of skills that contain it. */
  readonly #documents = new Map<string, number>()
  readonly #all: number

  readonly #rarity: Map<string, number> | null

  /**
   * @param lines the words of each skill, see `wordLines`
   * @param rarity how much each stem informs; null: not known
   */
  constructor(lines: readonly string[], rarity: Map<string, number> | null = null) {
    this.#all = lines.length
    this.#rarity = rarity
    for (const text of lines) {
      for (const word of new Set(text.split(' '))) {
        this.#documents.set(word, (this.#documents.get(word) ?? 0) + 1)
      }
    }
    this.#documents.delete('')
  }

  rarity(documents: number, tokens: readonly string[]): number {
    const known = this.#rarity
    return known === null
      ? 0.2 + documents / Math.max(1, this.#all)
      : Math.min(...stemsOf(tokens).map((stem) => known.get(stem) ?? 0.2))
  }

  count(words: string[]): Map<string, number> {
    return new Map(words.flatMap((word) => (this.#documents.has(word) ? [[word, this.#documents.get(word) ?? 0]] : [])))
  }

  withStems(stems: string[]): Map<string, string[]> {
    const wanted = new Map(stems.map((stem): [string, string[]] => [stem, []]))
    // A word and its stem begin with the same letter.
    const letters = new Set(stems.map(firstCode))
    for (const word of this.#documents.keys()) {
      if (letters.has(firstCode(word))) {
        wanted.get(stemOf(word))?.push(word)
      }
    }
    for (const words of wanted.values()) {
      this.#sort(words)
    }
    return wanted
  }

  hasBeginning(prefix: string): boolean {
    return [...this.#documents.keys()].some((word) => word.startsWith(prefix))
  }

  completions(): null {
    return null
  }

  similar(word: string): string[] {
    const tolerated = toleratedTypos(word)
    if (tolerated === 0) {
      return []
    }
    const near = [...this.#documents.keys()]
      .map((other) => ({ other, typos: queryTypos(word, other, tolerated) }))
      .filter(({ typos }) => typos <= tolerated)
    const fewest = Math.min(...near.map(({ typos }) => typos))
    return this.#sort(near.filter(({ typos }) => typos === fewest).map(({ other }) => other))
  }

  /** Sorts words, the most frequent first. */
  #sort(words: string[]): string[] {
    return words.sort((a, b) => (this.#documents.get(b) ?? 0) - (this.#documents.get(a) ?? 0))
  }
}

const firstCode = (word: string): number => word.charCodeAt(0)

/** Skills that are read and put into the order of the published ranking; later ones stay in that of Meilisearch. */
export const maxCandidates = 30
