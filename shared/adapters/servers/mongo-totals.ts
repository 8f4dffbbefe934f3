import type { Collection } from 'mongodb'
import type { SkillFilters } from '../../ports/catalog-store.js'
import { ownMember } from './mongo-document.js'
import { filterOf } from './mongo-skill-list.js'

/** How long a total is believed although no change was noted: someone may have deleted documents outright. */
const longestMs = 10_000

/** How many filters' totals are kept. */
const mostKept = 1_000

/**
 * How many skills each set of filters admits. A count walks over all of them, so it is kept for as long as the catalog
 * has not changed: which one look at the end of its history tells.
 */
export class TotalsCache {
  readonly #skills: Collection
  #newest = ''
  #countedAt = 0
  readonly #totals = new Map<string, number>()

  constructor(skills: Collection) {
    this.#skills = skills
  }

  async count(filters: SkillFilters): Promise<number> {
    const newest = await this.#newestChange()
    const now = Date.now()
    if (newest !== this.#newest || now - this.#countedAt > longestMs || this.#totals.size >= mostKept) {
      this.#totals.clear()
      this.#newest = newest
      this.#countedAt = now
    }
    const filter = filterOf(filters)
    const key = JSON.stringify(filter)
    const known = this.#totals.get(key)
    if (known !== undefined) {
      return known
    }
    const total = await this.#skills.countDocuments(filter)
    // Others may have found a change meanwhile, before which this was counted.
    if (this.#newest === newest) {
      this.#totals.set(key, total)
    }
    return total
  }

  async #newestChange(): Promise<string> {
    const [newest] = await this.#skills
      .find({}, { projection: { [ownMember]: 1 }, sort: { [`${ownMember}.changedAt`]: -1, [`${ownMember}.id`]: -1 } })
      .limit(1)
      .toArray()
    const own = newest?.[ownMember]
    return own === undefined ? '' : `${own.changedAt?.getTime()} ${own.id} ${own.hash}`
  }
}
