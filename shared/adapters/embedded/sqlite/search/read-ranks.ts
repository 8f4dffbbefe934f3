import type { SearchQuery } from '../../../../ports/search-index.js'
import type { SkillSort } from '../../../../ports/skill-reader.js'
import { searchSettings } from '../../../../search-settings.js'
import type { ReadQuery } from '../../../../text/concepts.js'
import type { SqliteDatabase, SqlValue } from '../database.js'
import { type Narrowing, narrowed } from './expressions.js'
import { documentsWithSkills } from './index-tables.js'
import type { RankRanges } from './rank-ranges.js'
import type { SqliteVocabulary } from './vocabulary.js'

/** A search prepared for the tables of an index. */
export interface PreparedSearch {
  db: SqliteDatabase
  query: Pick<SearchQuery, 'sort' | 'order' | 'limit' | 'offset' | 'facets' | 'fold'>
  vocabulary: SqliteVocabulary
  read: ReadQuery
  narrowing: Narrowing
  ranges: RankRanges
}

/**
 * A statement that selects from the full-text table `w`, joined with the skills `s` where a condition needs it.
 *
 * @param before tables that are read first
 */
function selection(
  { narrowing }: PreparedSearch,
  expression: string,
  tail: string,
  values: SqlValue[],
  before = '',
): { sql: string; bound: SqlValue[] } {
  // CROSS fixes the join order: full text first, then each document by its rank.
  const join = narrowing.joins ? `CROSS JOIN ${documentsWithSkills} AND d.rank = w.rowid` : ''
  const conditions = narrowing.conditions.map((condition) => ` AND ${condition.sql}`).join('')
  return {
    sql: `SELECT w.rowid AS rank FROM ${before} words w ${join} WHERE words MATCH ?${conditions} ${tail}`,
    bound: [expression, ...narrowing.conditions.flatMap((condition) => condition.values), ...values],
  }
}

/** The ranks that a statement selects, in its order. As one text: a row for each would take three times as long. */
export function listed(db: SqliteDatabase, sql: string, values: SqlValue[]): number[] {
  const row = db.get<{ ranks: string | null }>(`SELECT group_concat(rank) AS ranks FROM (${sql})`, values)
  const ranks = row?.ranks ?? ''
  return ranks === '' ? [] : ranks.split(',').map(Number)
}

/** The values of a column that has no character 30, of the documents that have one, by rank; as one text, see above. */
export function columnOf(
  db: SqliteDatabase,
  table: 'copies' | 'texts',
  column: 'copy_key' | 'words' | 'stems' | 'sketch',
  ranks: number[],
): Map<number, string> {
  // CROSS: each rank is looked up.
  const row = db.get<{ found: string | null }>(
    `SELECT group_concat(t.rank || char(10) || ${column}, char(30)) AS found
     FROM json_each(?) m CROSS JOIN ${table} t ON t.rank = m.value`,
    [JSON.stringify(ranks)],
  )
  const found = row?.found ?? ''
  return new Map(
    (found === '' ? [] : found.split('\u001e')).map((each) => {
      const end = each.indexOf('\n')
      return [Number(each.slice(0, end)), each.slice(end + 1)]
    }),
  )
}

/** The words of documents, by rank; see `wordLines`. */
export const textsOf = (db: SqliteDatabase, ranks: number[]): Map<number, string> =>
  columnOf(db, 'texts', 'words', ranks)

/** The first matches of an expression. */
export interface Ranks {
  ranks: number[]
  /** Whether documents with higher ranks, which were not read, may match as well. */
  areMore: boolean
}

/**
 * Matches for which no further range is read: those that are weighed, and a page, of which folding may leave half.
 * Facets count all that are reached.
 */
const enoughRanks = ({ query: { offset, limit, facets, fold } }: PreparedSearch): number =>
  facets.length > 0
    ? Number.POSITIVE_INFINITY
    : Math.max(searchSettings.maxWeighed, (offset + limit) * (fold ? 2 : 1)) + 1

/**
 * The first matches of an expression, by rank.
 *
 * @param expression null: of the conditions alone
 * @param enough matches for which no further range is read
 */
export function ranksOf(
  search: PreparedSearch,
  expression: string | null,
  limit: number,
  enough = Math.min(limit, enoughRanks(search)),
): Ranks {
  const { ends, areAll } = search.ranges
  const ranks: number[] = []
  let read = 0
  while (read < ends.length && ranks.length < enough) {
    const { sql, bound } = selection(
      search,
      narrowed(expression, search.narrowing),
      'AND w.rowid > ? AND w.rowid <= ? ORDER BY w.rowid LIMIT ?',
      // FTS5 stops at the end of a range only where it is an integer: numbers are bound as floating-point ones.
      [BigInt(ends[read - 1] ?? -1), BigInt(ends[read] ?? -1), limit - ranks.length],
    )
    ranks.push(...listed(search.db, sql, bound))
    read += 1
  }
  return { ranks, areMore: !areAll || read < ends.length || ranks.length === limit }
}

/** Those of `ranks` that meet the conditions of the search. */
export function withConditions(search: PreparedSearch, ranks: number[]): number[] {
  const { sql, bound } = selection(search, narrowed(null, search.narrowing), '', [], 'json_each(?) m CROSS JOIN')
  return ranks.length === 0 ? [] : listed(search.db, `${sql} AND w.rowid = m.value`, [JSON.stringify(ranks), ...bound])
}

const sortColumns = { updated: 'updated_at', stars: 'stars', created: 'created_at', name: 'name_key' } as const

/**
 * The ranks of the first matches sorted by a column instead of fitness; skills without a value come last.
 *
 * @param source an expression, null for the conditions alone, or ranks
 */
export function sorted(search: PreparedSearch, sort: SkillSort, source: string | number[] | null): number[] {
  const { order } = search.query
  const column = `s.${sortColumns[sort]}`
  // Ties as in the list: the reverse of an order reverses ids too.
  const idOrder = (order === 'asc') === (sort === 'name') ? 'ASC' : 'DESC'
  const inOrder = `ORDER BY ${column} IS NULL, ${column} ${order === 'asc' ? 'ASC' : 'DESC'}, s.id ${idOrder} LIMIT ${searchSettings.maxReach + 1}`
  const { sql, bound } =
    source === null || typeof source === 'string'
      ? selection(
          { ...search, narrowing: { ...search.narrowing, joins: true } },
          narrowed(source, search.narrowing),
          inOrder,
          [],
        )
      : {
          sql: `SELECT d.rank AS rank FROM json_each(?) m CROSS JOIN ${documentsWithSkills} WHERE d.rank = m.value ${inOrder}`,
          bound: [JSON.stringify(source)],
        }
  return listed(search.db, sql, bound)
}
