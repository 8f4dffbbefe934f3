import type { Collection, Filter } from 'mongodb'
import {
  type Distinctness,
  maxDividedSkills,
  maxListTotal,
  type SkillFilters,
  type SkillListPage,
} from '../../../../ports/skill-reader.js'
import { isTimeExpired, QueryTime } from '../query-time.js'
import type { Row } from '../rows.js'
import { repositoryOfRow } from './distinct-list.js'
import { filterOf } from './skill-list.js'

/** A count that takes longer ends without a result: a page does not wait longer for its total. */
const countMs = 2_000

/** How long a total is cached. Large totals cost most to count, and a small error matters least in them. */
const keepMs = { small: 5_000, large: 60_000 }

/** The maximum number of cached totals. */
const maxKept = 1_000

const unpublished: Filter<Row> = { state: { $in: ['hidden', 'removed', 'rejected', 'gone'] } }

type SkillTotal = Pick<SkillListPage, 'total' | 'totalIsLowerBound'>

/** A cached total, or one that is being counted. */
interface Kept {
  /** Null: it could not be counted in time. */
  counted: Promise<SkillTotal | null>
  /** Epoch milliseconds; null while it is being counted. */
  untilMs: number | null
}

/**
 * Counts the skills that match filters, and caches the totals. Concurrent requests for the same total share one count.
 *
 * A count ends after `maxListTotal` documents, in a catalog of any size.
 */
export class SkillTotals {
  readonly #skills: Collection<Row>
  readonly #clock: () => number
  readonly #kept = new Map<string, Kept>()

  /** @param clock epoch milliseconds */
  constructor(skills: Collection<Row>, clock: () => number = Date.now) {
    this.#skills = skills
    this.#clock = clock
  }

  /** @returns null when it could not be counted in time */
  count(filters: SkillFilters, distinct?: Distinctness['distinct']): Promise<SkillTotal | null> {
    const filter = filterOf(filters)
    const key = JSON.stringify([filter, distinct])
    const known = this.#kept.get(key)
    if (known !== undefined && (known.untilMs === null || known.untilMs > this.#clock())) {
      return known.counted
    }
    const kept: Kept = { counted: this.#count(filter, distinct !== undefined), untilMs: null }
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

  /** Removes all cached totals, after a write to the catalog. */
  clear(): void {
    this.#kept.clear()
  }

  async #count(filter: Filter<Row>, isDistinct: boolean): Promise<SkillTotal | null> {
    const isUnfiltered = Object.keys(filter).length === Object.keys(filterOf({})).length
    const time = new QueryTime(countMs)
    try {
      if (isDistinct) {
        return await this.#countRepositories(filter, time)
      }
      return (isUnfiltered ? await this.#countAll(time) : null) ?? (await this.#countSome(filter, time))
    } catch (error) {
      if (isTimeExpired(error)) {
        return null
      }
      throw error
    }
  }

  /**
   * All skills without a count of them: what the collection notes as its size, less those that are not published. After a
   * crash of MongoDB that note may be off by the writes of its last minute, until the collection is validated.
   *
   * @returns null where so many are not published that they are not counted to their end
   */
  async #countAll(time: QueryTime): Promise<SkillTotal | null> {
    const [documents, others] = await Promise.all([
      this.#skills.estimatedDocumentCount(time.limit()),
      this.#skills.countDocuments(unpublished, { limit: maxListTotal + 1, ...time.limit() }),
    ])
    return others > maxListTotal ? null : { total: Math.max(0, documents - others), totalIsLowerBound: false }
  }

  async #countSome(filter: Filter<Row>, time: QueryTime): Promise<SkillTotal> {
    const found = await this.#skills.countDocuments(filter, { limit: maxListTotal + 1, ...time.limit() })
    return { total: Math.min(found, maxListTotal), totalIsLowerBound: found > maxListTotal }
  }

  /** See `maxDividedSkills`. */
  async #countRepositories(filter: Filter<Row>, time: QueryTime): Promise<SkillTotal> {
    const grouped = [
      { $match: filter },
      { $limit: maxDividedSkills + 1 },
      { $group: { _id: repositoryOfRow, skills: { $sum: 1 } } },
      { $group: { _id: null, repositories: { $sum: 1 }, skills: { $sum: '$skills' } } },
    ]
    const [counted] = await this.#skills.aggregate(grouped, { allowDiskUse: true, ...time.limit() }).toArray()
    const { repositories = 0, skills = 0 } = counted ?? {}
    return {
      total: Math.min(repositories, maxListTotal),
      totalIsLowerBound: repositories > maxListTotal || skills > maxDividedSkills,
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
