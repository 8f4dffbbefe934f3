import { searchSettings } from '../../../search-settings.js'
import type { Concept, ReadQuery } from '../../../text/concepts.js'
import { stemsOfConcept } from '../../../text/text-stems.js'
import type { MeiliHit } from './multi-search.js'

/**
 * Weighs the texts that Meilisearch found: what the words of a query count that a text has, of all that they count. A
 * word that more of these texts have informs more: Meilisearch leaves out frequent words first.
 */
export class TextWeigher {
  readonly #scores: Map<string, number>
  readonly #concepts: Map<string, Concept[]>

  /** @param isCounted whether the rarity of concepts is that in texts */
  constructor({ concepts, unknown }: ReadQuery, texts: MeiliHit[], isCounted: boolean) {
    const stems = texts.map((hit) => new Set(hit.stems))
    const found = [...concepts, ...unknown].map((concept) => {
      const lists = stemsOfConcept(concept)
      const has = stems.map((all) => lists.some((list) => list.every((stem) => all.has(stem))))
      const share = has.filter(Boolean).length / Math.max(1, texts.length)
      return { concept, has, rarity: isCounted ? concept.rarity : 0.2 + share }
    })
    this.#concepts = new Map(
      texts.map(({ id }, at) => [id, found.filter(({ has }) => has[at]).map(({ concept }) => concept)]),
    )
    const total = found.reduce((sum, { rarity }) => sum + rarity, 0)
    const { usualStems, lengthCounts } = searchSettings.text
    this.#scores = new Map(
      texts.map(({ id }, at) => {
        const sum = found.reduce((all, { has, rarity }) => all + (has[at] ? rarity : 0), 0)
        const length = Math.max(1, 1 - lengthCounts + (lengthCounts * (stems[at]?.size ?? 0)) / usualStems)
        return [id, total === 0 ? 0 : sum / total / length]
      }),
    )
  }

  /** 0 to 1; 0: its text has none of the words, or others fit better. */
  weigh(id: string): number {
    return this.#scores.get(id) ?? 0
  }

  /** The concepts that a text has. */
  conceptsIn(id: string): Concept[] {
    return this.#concepts.get(id) ?? []
  }
}
