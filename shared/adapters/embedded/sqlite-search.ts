import type { SkillSort } from '../../ports/catalog-store.js'
import type { FacetCount, FacetName, SearchQuery } from '../../ports/search-index.js'
import { textKey } from '../../text/analyze.js'
import type { SearchText } from '../../text/parse-search-text.js'
import type { SqliteDatabase, SqlValue } from './sqlite-database.js'
import { keyHash, type Slot, tag } from './sqlite-index-tables.js'
import {
  allOf,
  anyField,
  type Closeness,
  type ExpandedTerm,
  type Looseness,
  type Narrowing,
  narrowed,
} from './sqlite-match.js'

/** Totals are counted up to here; a search that matches more says this many. */
const countedMatches = 50_000

/** When no skill has all the words, at most this many with each word are weighed, the most starred first. */
const weighedPerWord = 10_000

/** Values shown of a facet. */
const maxFacetValues = 20

/** A match: where it ranks among its equals, and how well it fits (null: not weighed, sorted by a column). */
export interface Match {
  rank: number
  score: number | null
}

/** A search made ready for one slot's tables. */
export interface PreparedSearch {
  db: SqliteDatabase
  slot: Slot
  query: SearchQuery
  terms: ExpandedTerm[]
  narrowing: Narrowing
}

/** The expression that every match fits: all words, each as loosely as it may be taken. */
export const baseExpression = ({ terms, narrowing }: PreparedSearch): string =>
  narrowed(terms.length === 0 ? `tags : "${tag('all')}"` : allOf(terms, 'anywhere', 3, 'twoTypos'), narrowing)

/** Whether a text asks for anything at all: marks and separators alone do not. */
export const asksForSomething = (text: SearchText): boolean => text.terms.length + text.excluded.length > 0

/** Reads from the full-text table `w`, joined with the documents `d` where the narrowing asks for it. */
function select(
  search: PreparedSearch,
  columns: string,
  expression: string,
  tail: string,
  values: SqlValue[],
  more = '',
) {
  const { db, slot, narrowing } = search
  // CROSS: full text first, then each document by its rank.
  const join = narrowing.joins ? `CROSS JOIN documents_${slot} d ON d.rank = w.rowid${more}` : ''
  const conditions = narrowing.conditions.map((condition) => ` AND ${condition.sql}`).join('')
  return db.all(`SELECT ${columns} FROM words_${slot} w ${join} WHERE words_${slot} MATCH ?${conditions} ${tail}`, [
    expression,
    ...narrowing.conditions.flatMap((condition) => condition.values),
    ...values,
  ])
}

const ranksOf = (search: PreparedSearch, expression: string, limit: number): number[] =>
  select(search, 'w.rowid AS rank', expression, 'ORDER BY w.rowid LIMIT ?', [limit]).map((row) => Number(row['rank']))

/** How many skills fit `expression`, counted up to a bound. */
export function countMatches(search: PreparedSearch, expression: string): number {
  return select(search, '1 AS one', expression, 'LIMIT ?', [countedMatches]).length
}

/** A grade of fitness: what must hold, and the score of those that it is the best for. */
interface Grade {
  expression: string
  score: number
}

const closenesses: Closeness[] = ['adjacent', 'near', 'anywhere']

/**
 * The published ranking, as a list of grades from best to worst: fewer typos, then closer together, then in the more
 * telling field, then whole words before beginnings. Each grade includes the ones before it.
 */
function grades(terms: ExpandedTerm[]): Grade[] {
  const ways: [Looseness, Closeness, number][] = [
    ...(terms.length > 1 ? closenesses : (['anywhere'] as const)).flatMap((closeness) =>
      [1, 2, 3].flatMap((groups): [Looseness, Closeness, number][] => [
        ['exact', closeness, groups],
        ['prefix', closeness, groups],
      ]),
    ),
    ...(['oneTypo', 'twoTypos'] as const).flatMap((looseness) =>
      [1, 2, 3].map((groups): [Looseness, Closeness, number] => [looseness, 'anywhere', groups]),
    ),
  ]
  return ways.map(([looseness, closeness, groups], position) => ({
    expression: allOf(terms, closeness, groups, looseness),
    score: 0.97 - (0.77 * position) / ways.length,
  }))
}

/** Matches in the order of the published ranking: skip `offset`, then `limit`. */
export function rankedMatches(search: PreparedSearch, total: number): Match[] {
  const { query, terms, narrowing } = search
  const wanted = Math.min(query.offset + query.limit, total)
  const found = new Map<number, number>()
  const add = (ranks: number[], score: number) => {
    for (const rank of ranks) {
      if (found.size < wanted && !found.has(rank)) {
        found.set(rank, score)
      }
    }
  }
  add(exactMatches(search, ['id_hash'], wanted), 1)
  add(exactMatches(search, ['name_hash', 'repo_hash'], wanted), 0.99)
  for (const grade of terms.length === 0 ? [{ expression: `tags : "${tag('all')}"`, score: 0 }] : grades(terms)) {
    if (found.size >= wanted) {
      break
    }
    add(ranksOf(search, narrowed(grade.expression, narrowing), wanted + found.size), grade.score)
  }
  return [...found].slice(query.offset, wanted).map(([rank, score]) => ({ rank, score }))
}

/** Skills whose `owner/repo`, or whose name, is just what was asked for. */
function exactMatches(
  search: PreparedSearch,
  columns: ('id_hash' | 'name_hash' | 'repo_hash')[],
  limit: number,
): number[] {
  const { db, slot, query } = search
  const key = textKey(query.text)
  const base = baseExpression(search)
  const candidates = columns
    .flatMap((column) =>
      db.all(`SELECT rank FROM documents_${slot} WHERE ${column} = ? ORDER BY rank LIMIT ?`, [keyHash(key), limit]),
    )
    .map((row) => Number(row['rank']))
    .sort((a, b) => a - b)
  return candidates.filter((rank) => select(search, '1 AS one', base, 'AND w.rowid = ? LIMIT 1', [rank]).length > 0)
}

/** Skills with some of the words: most of the words first. Asked for only when none has them all. */
export function partialMatches(search: PreparedSearch): Match[] {
  const { terms, narrowing } = search
  const words = new Map<number, number>()
  for (const term of terms) {
    for (const rank of ranksOf(search, narrowed(anyField(term), narrowing), weighedPerWord)) {
      words.set(rank, (words.get(rank) ?? 0) + 1)
    }
  }
  return [...words]
    .sort(([rankA, a], [rankB, b]) => b - a || rankA - rankB)
    .map(([rank, count]) => ({ rank, score: (0.2 * count) / terms.length }))
}

/** The expression for any of the terms: what partial matches come from. */
export const partialExpression = ({ terms, narrowing }: PreparedSearch): string =>
  narrowed(terms.map((term) => `(${anyField(term)})`).join(' OR '), narrowing)

const sortColumns = { updated: 'd.updated_at', stars: 'd.stars', created: 'd.created_at', name: 'd.name_key' } as const

/** What fits `expression`, in the order of a column instead of by fitness; skills without a value come last. */
export function sortedMatches(search: PreparedSearch, expression: string, sort: SkillSort): Match[] {
  const { order, limit, offset } = search.query
  const column = sortColumns[sort]
  // Ties as in the list: each order's opposite is its reverse, ids included.
  const idOrder = (order === 'asc') === (sort === 'name') ? 'ASC' : 'DESC'
  return select(
    { ...search, narrowing: { ...search.narrowing, joins: true } },
    'w.rowid AS rank',
    expression,
    `ORDER BY ${column} IS NULL, ${column} ${order === 'asc' ? 'ASC' : 'DESC'}, d.id ${idOrder} LIMIT ? OFFSET ?`,
    [limit, offset],
  ).map((row) => ({ rank: Number(row['rank']), score: null }))
}

/** The most frequent values of a facet among all that fits `expression`. */
export function facetCounts(search: PreparedSearch, expression: string, facet: FacetName): FacetCount[] {
  const joined = { ...search, narrowing: { ...search.narrowing, joins: true } }
  const [value, more] = facet === 'topics' ? ['t.value', `, json_each(d.skill, '$.topics') t`] : [`d.${facet}`, '']
  return select(
    joined,
    `${value} AS value, count(*) AS count`,
    expression,
    `AND ${value} IS NOT NULL GROUP BY ${value} ORDER BY count(*) DESC, ${value} LIMIT ?`,
    [maxFacetValues],
    more,
  ).map((row) => ({ value: String(row['value']), count: Number(row['count']) }))
}
