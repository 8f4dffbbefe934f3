import type { Collection } from 'mongodb'
import type { ListPosition, SkillListPage, SkillListQuery } from '../../../../ports/skill-reader.js'
import { queryTimeout } from '../../../../runtime/errors.js'
import { stateKeys } from '../../../../state-keys.js'
import { type PageStart, PageStarts, skipped } from '../../../lists/page-starts.js'
import { isTimeExpired, QueryTime } from '../query-time.js'
import type { Row } from '../rows.js'
import { type FirstSkill, findFirst, readFirsts, recordsOf } from './distinct-list.js'
import { findPosition, positionFields, positionOf, readListed } from './skill-list.js'
import type { MongoStateStore } from './state-store.js'
import { SkillTotals } from './totals.js'

/** A row of a list: its record, null where it has been hidden meanwhile, and the position after it. */
interface Listed {
  record: string | null
  position: ListPosition
  /** See the port. */
  others: number | null
}

/** Answers pages of the lists of skills, with their totals; keeps totals, and positions at which pages begin. */
export class SkillPages {
  readonly #skills: Collection<Row>
  readonly #state: MongoStateStore
  readonly #totals: SkillTotals
  readonly #starts = new PageStarts()

  constructor(skills: Collection<Row>, state: MongoStateStore) {
    this.#skills = skills
    this.#state = state
    this.#totals = new SkillTotals(skills)
  }

  /** One page; see the port. @throws AppError `query_timeout` */
  async page(query: SkillListQuery): Promise<SkillListPage> {
    const [counted, { found, start }] = await Promise.all([
      this.#totals.count(query.filters, query.distinct),
      this.#findListed(query),
    ])
    const listed = found.slice(0, query.limit)
    const next = found.length > query.limit ? (listed.at(-1)?.position ?? null) : null
    if (start !== null && next !== null) {
      this.#starts.keepEnd(query, start, next)
    }
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

  /** Forgets totals and positions, after a write to the catalog. */
  forget(): void {
    this.#totals.clear()
    this.#starts.clear()
  }

  /** One skill more than the page shows whether there is a next page. `start`: of a page by number, else null. */
  async #findListed(query: SkillListQuery): Promise<{ found: Listed[]; start: PageStart | null }> {
    const time = new QueryTime()
    const pageAfter = async (after: PageStart['after']) => {
      const page = { ...query, ...(after && { after }), limit: query.limit + 1 }
      if (after === null) {
        return []
      }
      return query.distinct === undefined ? this.#readAll(page, time) : this.#readFirsts(page, time)
    }
    const find = query.distinct === undefined ? findPosition : findFirst
    try {
      if (query.offset === undefined) {
        return { found: await pageAfter(query.after), start: null }
      }
      const trends = query.sort === 'trending' ? await this.#state.readState<string>(stateKeys.trendsVersion) : null
      const start = await this.#starts.find(query, { changes: null, trends }, (after, count) =>
        skipped(() => find(this.#skills, { ...query, ...(after && { after }) }, count, time)),
      )
      return { found: await pageAfter(start.after), start }
    } catch (error) {
      throw isTimeExpired(error)
        ? queryTimeout('This list takes too long. Ask with fewer filters, a rarer one, or in another order.', error)
        : error
    }
  }

  async #readAll(page: SkillListQuery, time: QueryTime): Promise<Listed[]> {
    const rows = await readListed(this.#skills, page, { record: 1, ...positionFields(page.sort) }, time)
    return rows.map((row) => ({ record: row.record ?? null, position: positionOf(row, page.sort), others: null }))
  }

  async #readFirsts(page: SkillListQuery, time: QueryTime): Promise<Listed[]> {
    const firsts: FirstSkill[] = []
    for await (const first of readFirsts(this.#skills, page, time, page.limit)) {
      firsts.push(first)
      if (firsts.length === page.limit) {
        break
      }
    }
    const records = await recordsOf(this.#skills, firsts, time)
    return firsts.map(({ position, others }) => ({ record: records.get(position.id) ?? null, position, others }))
  }
}
