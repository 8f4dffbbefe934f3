import type { ListPosition, ListSort, SkillListQuery } from '../../../../ports/skill-reader.js'
import type { SqliteDatabase, SqlRow, SqlValue } from '../database.js'
import { columns, countRows, type SqlPart, whereAll } from '../filters.js'
import {
  countOthers,
  isFirstOfRepository,
  type ListMatches,
  type ListPlan,
  type ListTotals,
  matchesOf,
  planList,
  type SkillTotal,
  totalOfRepositories,
} from './skill-list.js'

/** A skill of the list, as it is answered, and where it stands. */
interface ListedRow extends SqlRow {
  id: string
  /** The value by which the list is ordered; null: the skill has none. */
  value: string | number | null
  stars: number | null
  /** See the port. */
  others: number | null
  record: string
}

/** The position after a row. */
export const positionOf = ({ value, id, stars }: ListedRow, sort: ListSort): ListPosition =>
  sort === 'trending' && value === null ? { value, id, stars } : { value, id }

/** Finds the rows of one page of the list, in order, and the total. */
export function findListedRows(
  db: SqliteDatabase,
  query: SkillListQuery,
  totals: ListTotals,
): { rows: ListedRow[] } & SkillTotal {
  const matches = matchesOf(db, query.filters, totals)
  const total = query.distinct === undefined ? matches.total : totalOfRepositories(db, matches, totals)
  const isBeyond = total.total === 0 || (!total.totalIsLowerBound && (query.offset ?? 0) >= total.total)
  return { rows: isBeyond ? [] : readRows(db, matches, query), ...total }
}

function readRows(db: SqliteDatabase, matches: ListMatches, query: SkillListQuery): ListedRow[] {
  const { sort, order, limit, distinct, after, offset = 0 } = query
  const planned = planList(db, matches, sort, offset + limit)
  const plan: DistinctPlan =
    distinct === undefined
      ? { ...planned, others: { sql: 'NULL', values: [] } }
      : {
          ...planned,
          conditions: [...planned.conditions, isFirstOfRepository(matches, query)],
          others: countOthers(matches),
        }
  const rows: ListedRow[] = []
  let left = offset
  for (const part of partsAfter(sort, order, after, plan.isOrdered)) {
    if (rows.length < limit) {
      const read = readPart(db, plan, part, limit - rows.length, left)
      rows.push(...read)
      // A row after this part skips all of it.
      left =
        left === 0 || read.length > 0
          ? 0
          : left - countRows(db, whereAll(plan[part.source], [part, ...plan.conditions]), left)
    }
  }
  return rows
}

/** How rows are found, and what counts the others of their repositories. */
interface DistinctPlan extends ListPlan {
  others: SqlPart
}

/** A range of the list that one scan of the index yields in order. */
interface Part extends SqlPart {
  /** Which source of the plan has its rows. */
  source: 'source' | 'rest'
  /** The value that the list is ordered by. */
  value: string
  orderBy: string
}

/** Skills that gained nothing; 0 marks those for which a later day may count a gain. */
const withoutTrend = 'ifnull(s.trend, 0) = 0'

/**
 * The ranges after a position: the rest of the skills with the same value, then those beyond it, then those without
 * one. Each begins with a seek in the index, so that all pages cost the same. Rows that have to be sorted are one range.
 */
function partsAfter(
  sort: ListSort,
  order: 'asc' | 'desc',
  after: ListPosition | undefined,
  isOrdered: boolean,
): Part[] {
  const parts = sort === 'trending' ? trendingParts(order, after) : valueParts(sort, order, after)
  return isOrdered
    ? parts
    : [
        {
          source: 'source',
          value: sort === 'trending' ? 'nullif(s.trend, 0)' : `s.${columns[sort].column}`,
          orderBy:
            sort === 'trending' ? trendOrder(order) : `s.${columns[sort].column} IS NULL, ${byValue(sort, order)}`,
          sql: `(${parts.map(({ sql }) => sql).join(' OR ')})`,
          values: parts.flatMap(({ values }) => values),
        },
      ]
}

/** The direction of ids: the opposite order reads the index backwards, ids included. */
const idDirection = (sort: ListSort, order: 'asc' | 'desc') =>
  (order === 'asc') === columns[sort].ascending ? 'ASC' : 'DESC'

/** What follows ORDER BY for the skills `s` that have a value to sort by. */
export const byValue = (sort: ListSort, order: 'asc' | 'desc'): string =>
  `s.${columns[sort].column} ${order.toUpperCase()}, s.id ${idDirection(sort, order)}`

function valueParts(sort: ListSort, order: 'asc' | 'desc', after: ListPosition | undefined): Part[] {
  const value = `s.${columns[sort].column}`
  const byId = `s.id ${idDirection(sort, order)}`
  const beyondId = idDirection(sort, order) === 'ASC' ? 's.id >' : 's.id <'
  const part = (orderBy: string, sql: string, values: SqlValue[] = []): Part => ({
    source: 'source',
    value,
    orderBy,
    sql,
    values,
  })
  const without = (sql = '', values: SqlValue[] = []): Part => ({
    ...part(byId, `${value} IS NULL${sql}`, values),
    source: 'rest',
  })
  if (after === undefined) {
    return [part(byValue(sort, order), `${value} IS NOT NULL`), without()]
  }
  if (after.value === null) {
    return [without(` AND ${beyondId} ?`, [after.id])]
  }
  return [
    part(byId, `${value} = ? AND ${beyondId} ?`, [after.value, after.id]),
    part(byValue(sort, order), `${value} ${order === 'asc' ? '>' : '<'} ?`, [after.value]),
    without(),
  ]
}

/** Skills with a trend, then the others as the list by stars has them. */
function trendingParts(order: 'asc' | 'desc', after: ListPosition | undefined): Part[] {
  const isBeyond = after?.value === null
  const trending = isBeyond
    ? []
    : valueParts('trending', order, after)
        .filter(({ source }) => source === 'source')
        .map((part) => ({ ...part, sql: `${part.sql} AND s.trend > 0` }))
  const others = valueParts('stars', order, isBeyond ? { value: after.stars ?? null, id: after.id } : undefined)
  return [
    ...trending,
    ...others.map(
      (part): Part => ({
        ...part,
        source: 'rest',
        value: 'NULL',
        sql: `${part.sql} AND ${withoutTrend}`,
      }),
    ),
  ]
}

/** The order of `trendingParts` in one. */
function trendOrder(order: 'asc' | 'desc'): string {
  const stars = `CASE WHEN ${withoutTrend} THEN s.stars END`
  return `${withoutTrend}, nullif(s.trend, 0) ${order.toUpperCase()}, ${stars} IS NULL, ${stars} ${order.toUpperCase()}, s.id ${idDirection('stars', order)}`
}

function readPart(db: SqliteDatabase, plan: DistinctPlan, part: Part, limit: number, skip: number): ListedRow[] {
  const { sql, values } = whereAll(plan[part.source], [part, ...plan.conditions])
  const page = `${sql} ORDER BY ${part.orderBy} LIMIT ? OFFSET ?`
  // Thousands of rows may have to be sorted: without their records.
  const source = plan.isOrdered
    ? page
    : `skills s WHERE s.rowid IN (SELECT s.rowid FROM ${page}) ORDER BY ${part.orderBy}`
  return db.all<ListedRow>(
    `SELECT s.id AS id, ${part.value} AS value, s.stars AS stars, ${plan.others.sql} AS others, s.record AS record
     FROM ${source}`,
    [...plan.others.values, ...values, limit, skip],
  )
}
