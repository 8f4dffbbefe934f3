import type { SkillSort } from '../../ports/catalog-store.js'
import type { FacetCount, FacetName, SearchQuery } from '../../ports/search-index.js'
import type { Skill } from '../../records/skill.js'
import { searchSettings } from '../../search-settings.js'
import { textKey } from '../../text/analyze.js'
import type { SearchText } from '../../text/parse-search-text.js'
import type { SqliteDatabase, SqlRow, SqlValue } from './sqlite-database.js'
import { keyHash, type Slot, tag } from './sqlite-index-tables.js'
import {
  allGroups,
  allOf,
  anyField,
  anyReading,
  type Closeness,
  type ExpandedTerm,
  type Looseness,
  type Narrowing,
  narrowed,
} from './sqlite-match.js'
import { byFitness, type Fitness, farApart, scoreOf, weigher } from './weigh-match.js'

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
  /** The ways to read its text, each a list of terms; the first as it was written. */
  readings: ExpandedTerm[][]
  narrowing: Narrowing
}

/** A search's terms as they were written. */
export const termsOf = ({ readings }: PreparedSearch): ExpandedTerm[] => readings[0] ?? []

/** The expression that every match fits: all words, each as loosely as it may be taken. */
export const baseExpression = (search: PreparedSearch): string =>
  narrowed(termsOf(search).length === 0 ? `tags : "${tag('all')}"` : anyReading(search.readings), search.narrowing)

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
  const { sql, bound } = selection(search, '1', expression, 'LIMIT ?', [searchSettings.counted])
  return Number(search.db.get(`SELECT count(*) AS n FROM (${sql})`, bound)?.['n'])
}

/** One way for terms to fit: how loosely they are taken, how close they stand, in how many field groups. */
interface Grade {
  looseness: Looseness
  closeness: Closeness
  groups: number
}

/** Matches that come before all of the next stage. */
interface Stage {
  expression: string
  /** From best to worst, each including the ones before it; together they yield what the expression does, or less. */
  grades: Grade[]
}

/** Up to so many matches of a stage are weighed one by one; more than that are sorted into its grades only. */
const maxWeighed = 1_000

/** The published ranking as far as full text can tell it: fewer typos, then all words in a row. */
function stagesOf({ readings, narrowing }: PreparedSearch, terms: ExpandedTerm[]): Stage[] {
  const grades = (closeness: Closeness, ...loosenesses: Looseness[]): Grade[] =>
    searchSettings.fieldGroups.flatMap((_, position) =>
      loosenesses.map((looseness) => ({ looseness, closeness, groups: position + 1 })),
    )
  const stage = (expression: string, ...of: Grade[][]): Stage => ({
    expression: narrowed(expression, narrowing),
    grades: of.flat(),
  })
  return [
    ...(terms.length > 1
      ? [stage(allOf(terms, 'adjacent', allGroups, 'prefix'), grades('adjacent', 'exact', 'prefix'))]
      : []),
    stage(
      allOf(terms, 'anywhere', allGroups, 'prefix'),
      ...(terms.length > 1 ? [grades('near', 'exact', 'prefix')] : []),
      grades('anywhere', 'exact', 'prefix'),
    ),
    stage(anyReading(readings), grades('anywhere', 'oneTypo'), grades('anywhere', 'twoTypos')),
  ]
}

/** A grade's expression: where the words are found, and where they stand together or whole, are asked for apart. */
const gradeExpression = (terms: ExpandedTerm[], { closeness, groups, looseness }: Grade): string =>
  [
    allOf(terms, 'anywhere', groups, looseness === 'exact' ? 'prefix' : looseness),
    ...(closeness === 'anywhere' ? [] : [allOf(terms, closeness, allGroups, 'prefix')]),
    ...(looseness === 'exact' ? [allOf(terms, 'anywhere', allGroups, 'exact')] : []),
  ]
    .map((part) => `(${part})`)
    .join(' AND ')

/** What is known of the fitness of a grade's matches. */
const gradeFitness = ({ closeness, groups, looseness }: Grade, terms: number): Fitness => ({
  typos: looseness === 'oneTypo' ? 1 : looseness === 'twoTypos' ? 2 : 0,
  distance: (closeness === 'adjacent' ? 0 : closeness === 'near' ? 3 : farApart) * (terms - 1),
  fields: (groups - 1) * terms,
  unfinished: looseness === 'exact' ? 0 : 1,
})

/** Matches in the order of the published ranking: skip `offset`, then `limit`. */
export function rankedMatches(search: PreparedSearch, total: number): Match[] {
  const { query, readings, narrowing } = search
  const terms = termsOf(search)
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
    return page(found, query)
  }
  // A phrase does not reach from the owner into the repository.
  if (!terms.some(({ quoted }) => quoted)) {
    add(exactMatches(search, ['id_hash'], wanted), 1)
  }
  add(exactMatches(search, ['name_hash', 'repo_hash'], wanted), 0.99)
  const weigh = weigher(readings)
  for (const { expression, grades } of stagesOf(search, terms)) {
    if (found.size >= wanted) {
      break
    }
    const some = terms.length === 1 ? [] : ranksOf(search, expression, maxWeighed + found.size + 1)
    const left = some.filter((rank) => !found.has(rank))
    if (terms.length > 1 && left.length <= maxWeighed) {
      for (const { rank, fitness } of weighed(search, left, weigh)) {
        add([rank], scoreOf(fitness, terms.length))
      }
      continue
    }
    const asked = new Set<string>()
    for (const grade of grades) {
      const graded = narrowed(gradeExpression(terms, grade), narrowing)
      // Where no word has a typo to forgive, the looser grades say the same once more.
      if (found.size < wanted && !asked.has(graded)) {
        asked.add(graded)
        add(ranksOf(search, graded, wanted + found.size), scoreOf(gradeFitness(grade, terms.length), terms.length))
      }
    }
  }
  return page(found, query)
}

const page = (found: Map<number, number>, { offset, limit }: SearchQuery): Match[] =>
  [...found].slice(offset, offset + limit).map(([rank, score]) => ({ rank, score }))

/** Skills of these ranks, the best fit first, and of equal fits the smallest rank. */
const weighed = (
  { db, slot }: PreparedSearch,
  ranks: number[],
  weigh: (skill: Skill) => Fitness,
): { rank: number; fitness: Fitness }[] =>
  db
    .all<{ rank: number; skill: string }>(
      `SELECT rank, skill FROM documents_${slot} WHERE rank IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(ranks)],
    )
    .map(({ rank, skill }) => ({ rank, fitness: weigh(JSON.parse(skill) as Skill) }))
    .sort((a, b) => byFitness(a.fitness, b.fitness) || a.rank - b.rank)

/** Skills whose `owner/repo`, or whose name, is just what was asked for. */
function exactMatches(
  search: PreparedSearch,
  columns: ('id_hash' | 'name_hash' | 'repo_hash')[],
  limit: number,
): number[] {
  const { db, slot, query, narrowing } = search
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
  const expression = narrowed(allOf(termsOf(search), 'anywhere', allGroups, 'exact'), narrowing)
  return candidates.filter(
    (rank) => select(search, '1 AS one', expression, 'AND w.rowid = ? LIMIT 1', [rank]).length > 0,
  )
}

/** Skills with some of the words: most of the words first. Asked for only when none has them all. */
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

/** The expression for any of the terms: what partial matches come from. */
export const partialExpression = (search: PreparedSearch): string =>
  narrowed(
    termsOf(search)
      .map((term) => `(${anyField(term)})`)
      .join(' OR '),
    search.narrowing,
  )

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
