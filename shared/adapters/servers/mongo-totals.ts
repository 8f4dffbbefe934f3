import type { Collection, Document, Filter } from 'mongodb'
import { maxListTotal, type SkillFilters, type SkillListPage } from '../../ports/catalog-store.js'
import { isTimeExpired, QueryTime } from './mongo-query-time.js'
import { filterOf } from './mongo-skill-list.js'

/** A count that takes longer ends without a result: the page is worth waiting for, its total is not. */
const countMs = 2_000

/** How long a total is kept. Large ones cost most to count, and a difference of a few matters least in them. */
const keepMs = { small: 5_000, large: 60_000 }

/** How many totals are kept. */
const maxKept = 1_000

type SkillTotal = Pick<SkillListPage, 'total' | 'totalIsLowerBound'>

/** A total that is kept, or still being counted. */
interface Kept {
  /** Null: it could not be counted in time. */
  counted: Promise<SkillTotal | null>
  /** Epoch milliseconds; null while it is being counted. */
  untilMs: number | null
}

/**
 * How many skills each set of filters admits. Requests for the same total share one count, also while it runs.
 *
 * Without filters all are counted, which reads one index; with filters up to `maxListTotal`.
 */
export class SkillTotals {
  readonly #skills: Collection
  readonly #clock: () => number
  readonly #kept = new Map<string, Kept>()

  /** @param clock epoch milliseconds */
  constructor(skills: Collection, clock: () => number = Date.now) {
    this.#skills = skills
    this.#clock = clock
  }

  /** @returns null when it could not be counted in time */
  count(filters: SkillFilters): Promise<SkillTotal | null> {
    const filter = filterOf(filters)
    const key = JSON.stringify(filter)
    const known = this.#kept.get(key)
    if (known !== undefined && (known.untilMs === null || known.untilMs > this.#clock())) {
      return known.counted
    }
    const kept: Kept = { counted: this.#count(filter), untilMs: null }
    this.#keep(key, kept)
    kept.counted.then(
      (counted) => {
        const isLarge = counted === null || counted.total >= maxListTotal
        kept.untilMs = this.#clock() + (isLarge ? keepMs.large : keepMs.small)
      },
      () => {
        kept.untilMs = 0
      },
    )
    return kept.counted
  }

  /** Forgets all totals: the catalog has been written. */
  clear(): void {
    this.#kept.clear()
  }

  async #count(filter: Filter<Document>): Promise<SkillTotal | null> {
    const isUnfiltered = Object.keys(filter).length === Object.keys(filterOf({})).length
    const bound = isUnfiltered ? {} : { limit: maxListTotal + 1 }
    try {
      const found = await this.#skills.countDocuments(filter, { ...bound, ...new QueryTime(countMs).limit() })
      return isUnfiltered || found <= maxListTotal
        ? { total: found, totalIsLowerBound: false }
        : { total: maxListTotal, totalIsLowerBound: true }
    } catch (error) {
      if (isTimeExpired(error)) {
        return null
      }
      throw error
    }
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    const oldest = this.#kept.keys().next().value
    if (this.#kept.size > maxKept && oldest !== undefined) {
      this.#kept.delete(oldest)
    }
  }
}
