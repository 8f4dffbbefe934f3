import type { FacetCount, FacetName, SearchQuery } from '../../../../ports/search-index.js'
import type { SkillSort } from '../../../../ports/skill-reader.js'
import { searchSettings } from '../../../../search-settings.js'
import type { SearchText } from '../../../../text/parse-search-text.js'
import type { SqliteDatabase, SqlRow, SqlValue } from '../database.js'
import { type Slot, tag } from './index-tables.js'
import { anyField, anyReading, type ExpandedTerm, type Narrowing, narrowed } from './match.js'

/** Partial matches that are weighed for each word, the most starred first, when no skill has all the words. */
const weighedPerWord = 10_000

/** Values returned of a facet. */
const maxFacetValues = 20

/** A match with its rank and its fitness (null: not weighed, sorted by a column). */
export interface Match {
  rank: number
  score: number | null
}

/** A search prepared for one slot's tables. */
export interface PreparedSearch {
  db: SqliteDatabase
  slot: Slot
  query: SearchQuery
  text: SearchText
  /** The readings of its text, each a list of terms; the first is the text as written. */
  readings: ExpandedTerm[][]
  narrowing: Narrowing
}

/** A search's terms as written. */
export const termsOf = ({ readings }: PreparedSearch): ExpandedTerm[] => readings[0] ?? []

/** The expression of every match: all words, with every way to match. */
export const baseExpression = (search: PreparedSearch): string =>
  narrowed(termsOf(search).length === 0 ? `tags : "${tag('all')}"` : anyReading(search.readings), search.narrowing)

/** Whether a text has terms: punctuation alone has none. */
export const hasTerms = (text: SearchText): boolean => text.terms.length + text.excluded.length > 0

/** Selects from the full-text table `w`, joined with the documents `d` where a condition needs it. */
export function select(
  search: PreparedSearch,
  columns: string,
  expression: string,
  tail: string,
  values: SqlValue[],
): SqlRow[] {
  const { sql, bound } = selection(search, columns, expression, tail, values)
  return search.db.all(sql, bound)
}

function selection(
  { slot, narrowing }: PreparedSearch,
  columns: string,
  expression: string,
  tail: string,
  values: SqlValue[],
): { sql: string; bound: SqlValue[] } {
  // CROSS fixes the join order: full text first, then each document by its rank.
  const join = narrowing.joins ? `CROSS JOIN documents_${slot} d ON d.rank = w.rowid` : ''
  const conditions = narrowing.conditions.map((condition) => ` AND ${condition.sql}`).join('')
  return {
    sql: `SELECT ${columns} FROM words_${slot} w ${join} WHERE words_${slot} MATCH ?${conditions} ${tail}`,
    bound: [expression, ...narrowing.conditions.flatMap((condition) => condition.values), ...values],
  }
}

/** The first matches of `expression`, by rank. */
export const ranksOf = (search: PreparedSearch, expression: string, limit: number): number[] =>
  select(search, 'w.rowid AS rank', expression, 'ORDER BY w.rowid LIMIT ?', [limit]).map((row) => Number(row['rank']))

/** Matches that are counted and weighed together. */
const maxWeighedTogether = 200

/** All matches of `expression`, by rank; null when there are too many. */
export function allRanks(search: PreparedSearch, expression: string): number[] | null {
  const ranks = ranksOf(search, expression, maxWeighedTogether + 1)
  return ranks.length > maxWeighedTogether ? null : ranks
}

/** The number of matches of `expression`, counted up to a bound. */
export function countMatches(search: PreparedSearch, expression: string): number {
  const { sql, bound } = selection(search, '1', expression, 'LIMIT ?', [searchSettings.counted])
  return Number(search.db.get(`SELECT count(*) AS n FROM (${sql})`, bound)?.['n'])
}

/** Skills with some of the words, those with most words first. Used only when none has all words. */
export function partialMatches(search: PreparedSearch): Match[] {
  const { narrowing } = search
  const terms = termsOf(search)
  const words = new Map<number, number>()
  for (const term of terms) {
    for (const rank of ranksOf(search, narrowed(anyField(term), narrowing), weighedPerWord)) {
      words.set(rank, (words.get(rank) ?? 0) + 1)
    }
  }
  return [...words]
    .sort(([rankA, a], [rankB, b]) => b - a || rankA - rankB)
    .map(([rank, count]) => ({ rank, score: Math.round((2_000 * count) / (terms.length + 1)) / 10_000 }))
}

/** The expression for any of the terms, of which partial matches are a part. */
export const partialExpression = (search: PreparedSearch): string =>
  narrowed(
    termsOf(search)
      .map((term) => `(${anyField(term)})`)
      .join(' OR '),
    search.narrowing,
  )

const sortColumns = { updated: 'd.updated_at', stars: 'd.stars', created: 'd.created_at', name: 'd.name_key' } as const

/** Matches of `expression` sorted by a column instead of fitness; skills without a value come last. */
export function sortedMatches(search: PreparedSearch, expression: string, sort: SkillSort): Match[] {
  const { order, limit, offset } = search.query
  const column = sortColumns[sort]
  // Ties as in the list: the reverse of an order reverses ids too.
  const idOrder = (order === 'asc') === (sort === 'name') ? 'ASC' : 'DESC'
  return select(
    { ...search, narrowing: { ...search.narrowing, joins: true } },
    'w.rowid AS rank',
    expression,
    `ORDER BY ${column} IS NULL, ${column} ${order === 'asc' ? 'ASC' : 'DESC'}, d.id ${idOrder} LIMIT ? OFFSET ?`,
    [limit, offset],
  ).map((row) => ({ rank: Number(row['rank']), score: null }))
}

/**
 * The most frequent values of a facet among the matches of `expression`; above the counting bound, among the most
 * starred.
 */
export function facetCounts(search: PreparedSearch, expression: string, facet: FacetName): FacetCount[] {
  const [value, more] = facet === 'topics' ? ['t.value', `, json_each(d.skill, '$.topics') t`] : [`d.${facet}`, '']
  const matches = selection(search, 'w.rowid AS rank', expression, 'ORDER BY w.rowid LIMIT ?', [searchSettings.counted])
  return search.db
    .all(
      // Values that differ in case only are one value, as for filters.
      `SELECT min(${value}) AS value, count(*) AS count
       FROM (${matches.sql}) m CROSS JOIN documents_${search.slot} d ON d.rank = m.rank${more}
       WHERE ${value} IS NOT NULL GROUP BY lower(${value}) ORDER BY count(*) DESC, min(${value}) LIMIT ?`,
      [...matches.bound, maxFacetValues],
    )
    .map((row) => ({ value: String(row['value']), count: Number(row['count']) }))
}
