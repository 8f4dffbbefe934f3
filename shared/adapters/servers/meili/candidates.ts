import { searchSettings } from '../../../search-settings.js'
import type { Vocabulary } from '../../../text/concepts.js'
import { queryTypos, toleratedTypos } from '../../../text/spelling.js'
import { stemOf } from '../../../text/stem.js'

/**
 * The words of the skills that Meilisearch found. It leaves out frequent words of a query first: a word that more of the
 * found skills contain informs more.
 */
export class CandidateWords implements Vocabulary {
  readonly #documents = new Map<string, number>()
  readonly #words: string[]
  readonly #all: number

  /** @param lines the words of each skill, see `wordLines` */
  constructor(lines: readonly string[]) {
    this.#all = lines.length
    for (const text of lines) {
      for (const word of new Set(text.split(/\s+/))) {
        this.#documents.set(word, (this.#documents.get(word) ?? 0) + 1)
      }
    }
    this.#documents.delete('')
    this.#words = [...this.#documents.keys()].sort(
      (a, b) => (this.#documents.get(b) ?? 0) - (this.#documents.get(a) ?? 0),
    )
  }

  rarity(documents: number): number {
    return 0.2 + documents / Math.max(1, this.#all)
  }

  count(words: string[]): Map<string, number> {
    return new Map(words.flatMap((word) => (this.#documents.has(word) ? [[word, this.#documents.get(word) ?? 0]] : [])))
  }

  withStems(stems: string[]): Map<string, string[]> {
    const wanted = new Map(stems.map((stem): [string, string[]] => [stem, []]))
    for (const word of this.#words) {
      wanted.get(stemOf(word))?.push(word)
    }
    return wanted
  }

  hasBeginning(prefix: string): boolean {
    return this.#words.some((word) => word.startsWith(prefix))
  }

  similar(word: string): string[] {
    const tolerated = toleratedTypos(word)
    if (tolerated === 0) {
      return []
    }
    const near = this.#words
      .map((other) => ({ other, typos: queryTypos(word, other, tolerated) }))
      .filter(({ typos }) => typos <= tolerated)
    const fewest = Math.min(...near.map(({ typos }) => typos))
    return near.filter(({ typos }) => typos === fewest).map(({ other }) => other)
  }
}

/** Skills that are read and put into the order of the published ranking; later ones stay in that of Meilisearch. */
export const maxCandidates = Math.min(60, searchSettings.maxWeighed)
