import { LRUCache } from 'lru-cache'
import type { Collection, Filter } from 'mongodb'
import type { SkillFilters } from '../../../../ports/filter-table.js'
import {
  type Distinctness,
  type ListPosition,
  maxDividedSkills,
  maxListTotal,
  type SkillListPage,
  type SkillListQuery,
} from '../../../../ports/skill-reader.js'
import { queryTimeout } from '../../../../runtime/errors.js'
import { isTimeExpired, QueryTime } from '../connection.js'
import { type Row, repositoryOfRow } from '../rows.js'
import { type FirstSkill, findFirst, readFirsts, recordsOf } from './distinct-list.js'
import { filterOf, findPosition, positionFields, positionOf, readListed } from './skill-list.js'

/** A row of a list: its record, null where it has been hidden meanwhile, and the position after it. */
interface Listed {
  record: string | null
  position: ListPosition
  /** See the port. */
  others: number | null
}

/** One page of a list of skills, with its total; see the port. @throws AppError `query_timeout` */
export async function readPage(
  skills: Collection<Row>,
  totals: SkillTotals,
  query: SkillListQuery,
): Promise<SkillListPage> {
  const [counted, found] = await Promise.all([totals.count(query.filters, query.distinct), findListed(skills, query)])
  const listed = found.slice(0, query.limit)
  const next = found.length > query.limit ? (listed.at(-1)?.position ?? null) : null
  return {
    skills: listed.flatMap(({ record, position, others }) => {
      const trend = query.sort === 'trending' ? position.value : null
      return record === null ? [] : { record, trend: typeof trend === 'number' ? trend : null, others }
    }),
    // The total is at least the end of this page.
    ...(counted ?? { total: found.length === 0 ? 0 : (query.offset ?? 0) + found.length, totalIsLowerBound: true }),
    next,
  }
}

/** One skill more than the page shows whether there is a next page. */
async function findListed(skills: Collection<Row>, { offset = 0, ...query }: SkillListQuery): Promise<Listed[]> {
  const time = new QueryTime()
  const [skip, read] = query.distinct === undefined ? [findPosition, readAll] : [findFirst, readDistinct]
  try {
    const after = offset === 0 ? query.after : await skip(skills, query, offset, time)
    return after === null ? [] : await read(skills, { ...query, ...(after && { after }), limit: query.limit + 1 }, time)
  } catch (error) {
    throw isTimeExpired(error)
      ? queryTimeout('This list takes too long. Ask with fewer filters, a rarer one, or in another order.', error)
      : error
  }
}

async function readAll(skills: Collection<Row>, page: SkillListQuery, time: QueryTime): Promise<Listed[]> {
  const rows = await readListed(skills, page, { record: 1, ...positionFields(page.sort) }, time)
  return rows.map((row) => ({ record: row.record ?? null, position: positionOf(row, page.sort), others: null }))
}

async function readDistinct(skills: Collection<Row>, page: SkillListQuery, time: QueryTime): Promise<Listed[]> {
  const firsts: FirstSkill[] = []
  for await (const first of readFirsts(skills, page, time, page.limit)) {
    firsts.push(first)
    if (firsts.length === page.limit) {
      break
    }
  }
  const records = await recordsOf(skills, firsts, time)
  return firsts.map(({ position, others }) => ({ record: records.get(position.id) ?? null, position, others }))
}

/** A count that takes longer ends without a result: a page does not wait longer for its total. */
const countMs = 2_000

/** How long a total is cached. Large totals cost most to count, and a small error matters least in them. */
const keepMs = { small: 5_000, large: 60_000 }

const maxKept = 1_000

const unpublished: Filter<Row> = { state: { $in: ['hidden', 'removed', 'rejected', 'gone'] } }

type SkillTotal = Pick<SkillListPage, 'total' | 'totalIsLowerBound'>

/** What is counted: the skills that match a filter, or their repositories. */
interface Counted {
  filter: Filter<Row>
  isDistinct: boolean
}

/**
 * Counts the skills that match filters, and caches the totals. Concurrent requests for the same total share one count.
 *
 * A count ends after `maxListTotal` documents, in a catalog of any size.
 */
export class SkillTotals {
  readonly #skills: Collection<Row>
  /** `counted` null: it could not be counted in time. */
  readonly #kept: LRUCache<string, { counted: SkillTotal | null }, Counted>

  constructor(skills: Collection<Row>, clock: () => number = () => performance.now()) {
    this.#skills = skills
    this.#kept = new LRUCache({
      max: maxKept,
      ttlResolution: 0,
      perf: { now: clock },
      // A count that is removed while it runs still answers those who wait for it.
      ignoreFetchAbort: true,
      fetchMethod: async (_key, _before, { options, context }) => {
        const counted = await this.#count(context)
        options.ttl = keepMs[counted === null || counted.total >= maxListTotal ? 'large' : 'small']
        return { counted }
      },
    })
  }

  /** @returns null when it could not be counted in time */
  async count(filters: SkillFilters, distinct?: Distinctness['distinct']): Promise<SkillTotal | null> {
    const context = { filter: filterOf(filters), isDistinct: distinct !== undefined }
    return (await this.#kept.forceFetch(JSON.stringify(context), { context })).counted
  }

  /** Removes all cached totals, after a write to the catalog. */
  clear(): void {
    this.#kept.clear()
  }

  async #count({ filter, isDistinct }: Counted): Promise<SkillTotal | null> {
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
}
