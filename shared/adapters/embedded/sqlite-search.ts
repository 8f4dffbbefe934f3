import type { SkillSort } from '../../ports/catalog-store.js'
import type { FacetCount, FacetName, SearchQuery } from '../../ports/search-index.js'
import { searchSettings } from '../../search-settings.js'
import { textKey } from '../../text/analyze.js'
import type { SearchText } from '../../text/parse-search-text.js'
import type { SqliteDatabase, SqlRow, SqlValue } from './sqlite-database.js'
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
const countedMatches = 10_000

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
): SqlRow[] {
  const { sql, bound } = selection(search, columns, expression, tail, values, more)
  return search.db.all(sql, bound)
}

function selection(
  { slot, narrowing }: PreparedSearch,
  columns: string,
  expression: string,
  tail: string,
  values: SqlValue[],
  more = '',
): { sql: string; bound: SqlValue[] } {
  // CROSS: full text first, then each document by its rank.
  const join = narrowing.joins ? `CROSS JOIN documents_${slot} d ON d.rank = w.rowid${more}` : ''
  const conditions = narrowing.conditions.map((condition) => ` AND ${condition.sql}`).join('')
  return {
    sql: `SELECT ${columns} FROM words_${slot} w ${join} WHERE words_${slot} MATCH ?${conditions} ${tail}`,
    bound: [expression, ...narrowing.conditions.flatMap((condition) => condition.values), ...values],
  }
}

const ranksOf = (search: PreparedSearch, expression: string, limit: number): number[] =>
  select(search, 'w.rowid AS rank', expression, 'ORDER BY w.rowid LIMIT ?', [limit]).map((row) => Number(row['rank']))

/** How many skills fit `expression`, counted up to a bound. */
export function countMatches(search: PreparedSearch, expression: string): number {
  const { sql, bound } = selection(search, '1', expression, 'LIMIT ?', [countedMatches])
  return Number(search.db.get(`SELECT count(*) AS n FROM (${sql})`, bound)?.['n'])
}

const closenesses: Closeness[] = ['anywhere', 'near', 'adjacent']
const loosenesses: Looseness[] = ['exact', 'prefix', 'oneTypo', 'twoTypos']

/** One way for terms to fit: how loosely they are taken, how close they stand, in how many field groups. */
interface Grade {
  looseness: Looseness
  closeness: Closeness
  groups: number
}

/**
 * The published ranking, as a list of grades from best to worst: fewer typos, then closer together, then in the more
 * telling field, then whole words before beginnings. Each grade includes the ones before it.
 */
function gradesFor(terms: ExpandedTerm[]): Grade[] {
  const close = terms.length > 1 ? [...closenesses].reverse() : (['anywhere'] as const)
  const groups = searchSettings.fieldGroups.map((_, position) => position + 1)
  return [
    ...close.flatMap((closeness) =>
      groups.flatMap((upTo) =>
        (['exact', 'prefix'] as const).map((looseness) => ({ looseness, closeness, groups: upTo })),
      ),
    ),
    ...(['oneTypo', 'twoTypos'] as const).flatMap((looseness) =>
      groups.map((upTo) => ({ looseness, closeness: 'anywhere' as const, groups: upTo })),
    ),
  ]
}

/** Whether everything that fits `narrow` fits `wide` too. */
const includes = (wide: Grade, narrow: Grade): boolean =>
  wide.groups >= narrow.groups &&
  loosenesses.indexOf(wide.looseness) >= loosenesses.indexOf(narrow.looseness) &&
  closenesses.indexOf(wide.closeness) <= closenesses.indexOf(narrow.closeness)

/** Grades that include many others: when one of them is empty, so are those, and they need not be asked for. */
const telling: Grade[] = [
  { looseness: 'prefix', closeness: 'near', groups: 3 },
  { looseness: 'prefix', closeness: 'adjacent', groups: 3 },
  { looseness: 'prefix', closeness: 'anywhere', groups: 2 },
  { looseness: 'prefix', closeness: 'anywhere', groups: 1 },
]

/** Searches with fewer matches than this are worth a look at which grades are empty; others fill a page at once. */
const worthALook = 10_000

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
  if (terms.length === 0) {
    add(ranksOf(search, baseExpression(search), wanted), 0)
  }
  if (terms.length > 0) {
    add(exactMatches(search, ['id_hash'], wanted), 1)
    add(exactMatches(search, ['name_hash', 'repo_hash'], wanted), 0.99)
  }
  const expressionOf = (grade: Grade) =>
    narrowed(allOf(terms, grade.closeness, grade.groups, grade.looseness), narrowing)
  const grades = terms.length === 0 ? [] : gradesFor(terms)
  const empty: Grade[] = []
  if (terms.length > 1 && found.size < wanted && total < worthALook) {
    for (const grade of telling) {
      if (!empty.some((wide) => includes(wide, grade)) && ranksOf(search, expressionOf(grade), 1).length === 0) {
        empty.push(grade)
      }
    }
  }
  const asked = new Set<string>()
  for (const [position, grade] of grades.entries()) {
    const expression = expressionOf(grade)
    // Where no word has a typo to forgive, the looser grades say the same once more.
    if (found.size < wanted && !asked.has(expression) && !empty.some((wide) => includes(wide, grade))) {
      asked.add(expression)
      add(ranksOf(search, expression, wanted + found.size), scoreOf(position, grades.length))
    }
  }
  return [...found].slice(query.offset, wanted).map(([rank, score]) => ({ rank, score }))
}

/** Scores of matches with all words lie between 0.2 and 0.97, in even steps; the exact ones are above. */
const scoreOf = (position: number, grades: number): number =>
  Math.round((0.97 - (0.77 * position) / grades) * 10_000) / 10_000

/** Skills whose `owner/repo`, or whose name, is just what was asked for. */
function exactMatches(
  search: PreparedSearch,
  columns: ('id_hash' | 'name_hash' | 'repo_hash')[],
  limit: number,
): number[] {
  const { db, slot, query, terms, narrowing } = search
  const key = textKey(query.text)
  const candidates = columns
    .flatMap((column) =>
      db.all(`SELECT rank FROM documents_${slot} WHERE ${column} = ? ORDER BY rank LIMIT ?`, [keyHash(key), limit]),
    )
    .map((row) => Number(row['rank']))
    .sort((a, b) => a - b)
  if (narrowing.must.length + narrowing.mustNot.length + narrowing.conditions.length === 0) {
    return candidates
  }
  const expression = narrowed(allOf(terms, 'anywhere', 3, 'exact'), narrowing)
  return candidates.filter(
    (rank) => select(search, '1 AS one', expression, 'AND w.rowid = ? LIMIT 1', [rank]).length > 0,
  )
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
    .map(([rank, count]) => ({ rank, score: Math.round((2_000 * count) / (terms.length + 1)) / 10_000 }))
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
