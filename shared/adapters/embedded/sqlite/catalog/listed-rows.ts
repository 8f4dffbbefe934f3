import type { ListPosition, ListSort, SkillListQuery } from '../../../../ports/skill-reader.js'
import type { PageStart } from '../../../lists/page-starts.js'
import type { SqliteDatabase, SqlRow, SqlValue } from '../database.js'
import { countRows, type ListTotals, type SkillTotal, type SqlPart } from './list-totals.js'
import { columns, findMatches, type ListPlan, type Matches, planList, whereAll } from './skill-list.js'

/** A skill of the list, as it is answered, and its position. */
export interface ListedRow extends ListPosition, SqlRow {
  record: string
}

/** Finds the rows of one page of the list, in order, and the total. @param start where the page begins */
export function findListedRows(
  db: SqliteDatabase,
  query: SkillListQuery,
  start: PageStart['after'],
  totals: ListTotals,
): { rows: ListedRow[] } & SkillTotal {
  const matches = findMatches(db, query.filters, totals)
  return { rows: start === null ? [] : readRows(db, matches, query, start, 0), ...matches.total }
}

/** The position of the skill that is `count` skills after another one; null: the list ends before it. */
export function findPosition(
  db: SqliteDatabase,
  query: SkillListQuery,
  after: ListPosition | undefined,
  count: number,
  totals: ListTotals,
): ListPosition | null {
  const matches = findMatches(db, query.filters, totals)
  const [row] = readRows(db, matches, { ...query, limit: 1 }, after, count - 1)
  return row === undefined ? null : { value: row.value, id: row.id }
}

function readRows(
  db: SqliteDatabase,
  matches: Matches,
  { sort, order, limit }: SkillListQuery,
  after: ListPosition | undefined,
  skip: number,
): ListedRow[] {
  if (matches.total.total === 0) {
    return []
  }
  const plan = planList(db, matches, sort, skip + limit)
  const rows: ListedRow[] = []
  let left = skip
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

/** A range of the list that one scan of the index yields in order. */
interface Part extends SqlPart {
  /** Which source of the plan has it. */
  source: 'source' | 'rest'
  /** The value that the list is ordered by. */
  value: string
  orderBy: string
}

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
  const { column, ascending } = columns[sort]
  const value = `s.${column}`
  // The opposite order reads the index backwards, ids included.
  const forward = (order === 'asc') === ascending
  const [byId, beyondId] = forward ? ['s.id ASC', 's.id >'] : ['s.id DESC', 's.id <']
  const byValue = `${value} ${order === 'asc' ? 'ASC' : 'DESC'}, ${byId}`
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
  const parts =
    after === undefined
      ? [part(byValue, `${value} IS NOT NULL`), without()]
      : after.value === null
        ? [without(` AND ${beyondId} ?`, [after.id])]
        : [
            part(byId, `${value} = ? AND ${beyondId} ?`, [after.value, after.id]),
            part(byValue, `${value} ${order === 'asc' ? '>' : '<'} ?`, [after.value]),
            without(),
          ]
  return isOrdered
    ? parts
    : [
        part(
          `${value} IS NULL, ${byValue}`,
          `(${parts.map(({ sql }) => sql).join(' OR ')})`,
          parts.flatMap(({ values }) => values),
        ),
      ]
}

function readPart(db: SqliteDatabase, plan: ListPlan, part: Part, limit: number, skip: number): ListedRow[] {
  const { sql, values } = whereAll(plan[part.source], [part, ...plan.conditions])
  const page = `${sql} ORDER BY ${part.orderBy} LIMIT ? OFFSET ?`
  // Thousands of rows may have to be sorted: without their records.
  const source = plan.isOrdered
    ? page
    : `skills s WHERE s.rowid IN (SELECT s.rowid FROM ${page}) ORDER BY ${part.orderBy}`
  return db.all<ListedRow>(`SELECT s.id AS id, ${part.value} AS value, s.record AS record FROM ${source}`, [
    ...values,
    limit,
    skip,
  ])
}
