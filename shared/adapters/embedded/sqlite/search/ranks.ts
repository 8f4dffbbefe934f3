import type { SkillSort } from '../../../../ports/filter-table.js'
import type { SearchQuery } from '../../../../ports/search-index.js'
import type { ReadQuery } from '../../../../ranking/concepts.js'
import { searchSettings } from '../../../../search-settings.js'
import { columns } from '../catalog/filter-columns.js'
import type { SqliteDatabase, SqlValue } from '../database.js'
import { documentsWithSkills } from './index-tables.js'
import { type Narrowing, narrowed, type SqliteVocabulary } from './vocabulary.js'

/** Documents that a search reads first, the most starred ones; then up to the second number; then all. */
const defaultReadFirst = [100_000, 600_000]

/** Occurrences of words that a search reads at most after the first range: in some 200 ms. */
const maxOccurrences = 500_000

/** The last ranks of the ranges are found again when the number of documents has changed by more than this share. */
const tolerated = 0.1

/** The rank that is above all others. */
const lastRank = Number.MAX_SAFE_INTEGER

/** Ranges of ranks that are read one after the other until there are enough matches. */
export interface RankRanges {
  /** The last rank of each range, ascending. */
  ends: number[]
  /** Whether they contain all documents. */
  areAll: boolean
}

/**
 * The ranges that searches read in turn: full text yields matches by rank, and in a large catalog the most starred
 * documents have enough of them for most searches.
 */
export class RangesOfRanks {
  readonly #readFirst: number[]
  #found: { documents: number; ends: number[] } | null = null

  /** @param readFirst numbers of documents, ascending */
  constructor(readFirst: number[] = defaultReadFirst) {
    this.#readFirst = readFirst
  }

  /**
   * @param documents number of documents in the index
   * @param occurrences of the words of the search in all documents: of words that are too frequent not all are read
   */
  of(db: SqliteDatabase, documents: number, occurrences: number): RankRanges {
    const known = this.#found
    if (known === null || Math.abs(documents - known.documents) > tolerated * known.documents) {
      this.#found = { documents, ends: this.#endsIn(db, documents) }
    }
    const ends = [...(this.#found?.ends ?? []), lastRank]
    const read = ends.filter((end, at) => {
      const share = end === lastRank ? 1 : (this.#readFirst[at] ?? 0) / documents
      return at === 0 || share * occurrences <= maxOccurrences
    })
    return { ends: read, areAll: read.length === ends.length }
  }

  #endsIn(db: SqliteDatabase, documents: number): number[] {
    const ends: number[] = []
    let [end, before] = [-1, 0]
    for (const number of this.#readFirst.filter((each) => each < documents)) {
      const row = db.get<{ rank: number }>(`SELECT rank FROM texts WHERE rank > ? ORDER BY rank LIMIT 1 OFFSET ?`, [
        end,
        number - before - 1,
      ])
      if (row !== null) {
        ends.push(row.rank)
        end = row.rank
        before = number
      }
    }
    return ends
  }
}

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
export function readRanks(db: SqliteDatabase, sql: string, values: SqlValue[]): number[] {
  const row = db.get<{ ranks: string | null }>(`SELECT group_concat(rank) AS ranks FROM (${sql})`, values)
  return ranksIn(row?.ranks ?? '')
}

/** Ranks from a text in which commas divide them. As JSON: to split it takes twice as long. */
export const ranksIn = (text: string): number[] => JSON.parse(`[${text}]`)

/** Ranks as a list in JSON, in half the time of `JSON.stringify`. */
export const listOf = (ranks: readonly number[]): string => `[${ranks}]`

/** The texts that a statement selects, in which is no character 30, by rank; null ones are left out. As one, see above. */
export function readTexts(db: SqliteDatabase, sql: string, values: SqlValue[]): Map<number, string> {
  const row = db.get<{ found: string | null }>(
    `SELECT group_concat(rank || char(10) || text, char(30)) AS found FROM (${sql})`,
    values,
  )
  const found = row?.found ?? ''
  return new Map(
    (found === '' ? [] : found.split('\u001e')).map((each) => {
      const end = each.indexOf('\n')
      return [Number(each.slice(0, end)), each.slice(end + 1)]
    }),
  )
}

/** The values of a column, of the documents that have one, by rank. */
export function columnOf(
  db: SqliteDatabase,
  table: 'copies' | 'texts',
  column: 'copy_key' | 'words' | 'stems' | 'sketch',
  ranks: number[],
): Map<number, string> {
  // CROSS: each rank is looked up.
  const sql = `SELECT t.rank AS rank, ${column} AS text FROM json_each(?) m CROSS JOIN ${table} t ON t.rank = m.value`
  return ranks.length === 0 ? new Map() : readTexts(db, sql, [listOf(ranks)])
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
    ranks.push(...readRanks(search.db, sql, bound))
    read += 1
  }
  return { ranks, areMore: !areAll || read < ends.length || ranks.length === limit }
}

/** The `ranks` whose skills meet the conditions of the search. */
export function withConditions(search: PreparedSearch, ranks: number[]): number[] {
  const { sql, bound } = selection(search, narrowed(null, search.narrowing), '', [], 'json_each(?) m CROSS JOIN')
  return ranks.length === 0 ? [] : readRanks(search.db, `${sql} AND w.rowid = m.value`, [listOf(ranks), ...bound])
}

/**
 * The ranks of the first matches sorted by a column instead of fitness; skills without a value come last.
 *
 * @param source an expression, null for the conditions alone, or ranks
 */
export function sorted(search: PreparedSearch, sort: SkillSort, source: string | number[] | null): number[] {
  const { order } = search.query
  const column = `s.${columns[sort].column}`
  // Ties as in the list: the reverse of an order reverses ids too.
  const idOrder = (order === 'asc') === columns[sort].ascending ? 'ASC' : 'DESC'
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
          bound: [listOf(source)],
        }
  return readRanks(search.db, sql, bound)
}
