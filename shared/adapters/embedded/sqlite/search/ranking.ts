import type { SearchQuery } from '../../../../ports/search-index.js'
import { searchSettings } from '../../../../search-settings.js'
import { textKey } from '../../../../text/analyze.js'
import { byFitness, type Fitness, farApart, scoreOf } from '../../../../text/fitness.js'
import { keyHash } from './index-tables.js'
import { allGroups, allOf, anyReading, type Closeness, type ExpandedTerm, narrowed, type Tolerance } from './match.js'
import { baseExpression, type Match, type PreparedSearch, ranksOf, select, termsOf } from './search.js'
import { weigher } from './weigh-match.js'

/** One grade of a match: the typos allowed, the distance of the terms, the number of field groups. */
interface Grade {
  tolerance: Tolerance
  closeness: Closeness
  groups: number
}

/** Matches that rank before all of the next stage. */
interface Stage {
  expression: string
  /** From best to worst, each including the previous ones; together they match at most what the expression matches. */
  grades: Grade[]
}

/** Up to this number of matches of a stage are weighed individually; above it, they are sorted by grade only. */
const maxWeighed = 1_000

/** The stages of the ranking that full text can express: fewer typos, then consecutive words. */
function stagesOf({ readings, narrowing }: PreparedSearch, terms: ExpandedTerm[]): Stage[] {
  const grades = (closeness: Closeness, ...tolerances: Tolerance[]): Grade[] =>
    searchSettings.fieldGroups.flatMap((_, position) =>
      tolerances.map((tolerance) => ({ tolerance, closeness, groups: position + 1 })),
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

/** The expression of a grade: fields, distance and whole words are separate conditions. */
const gradeExpression = (terms: ExpandedTerm[], { closeness, groups, tolerance }: Grade): string =>
  [
    allOf(terms, 'anywhere', groups, tolerance === 'exact' ? 'prefix' : tolerance),
    ...(closeness === 'anywhere' ? [] : [allOf(terms, closeness, allGroups, 'prefix')]),
    ...(tolerance === 'exact' ? [allOf(terms, 'anywhere', allGroups, 'exact')] : []),
  ]
    .map((part) => `(${part})`)
    .join(' AND ')

/** The known parts of the fitness of a grade's matches. */
const gradeFitness = ({ closeness, groups, tolerance }: Grade, terms: number): Fitness => ({
  typos: tolerance === 'oneTypo' ? 1 : tolerance === 'twoTypos' ? 2 : 0,
  distance: (closeness === 'adjacent' ? 0 : closeness === 'near' ? 3 : farApart) * (terms - 1),
  fields: (groups - 1) * terms,
  unfinished: tolerance === 'exact' ? 0 : 1,
})

/**
 * Matches in the order of the published ranking: skip `offset`, then `limit`.
 *
 * @param ranks all matches, unless there are too many: weighing all of them at once costs less than a query per stage
 */
export function rankedMatches(search: PreparedSearch, total: number, ranks: number[] | null): Match[] {
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
  // A phrase does not span owner and repository.
  if (!terms.some(({ quoted }) => quoted)) {
    add(exactMatches(search, ['id_hash'], wanted), 1)
  }
  add(exactMatches(search, ['name_hash', 'repo_hash'], wanted), 0.99)
  const weigh = weigher(readings)
  const addWeighed = (ranks: number[]) => {
    for (const { rank, fitness } of weighed(search, ranks, weigh)) {
      add([rank], scoreOf(fitness, terms.length))
    }
  }
  if (ranks !== null && terms.length > 1) {
    addWeighed(ranks.filter((rank) => !found.has(rank)))
    return page(found, query)
  }
  for (const { expression, grades } of stagesOf(search, terms)) {
    if (found.size >= wanted) {
      break
    }
    const candidates = terms.length === 1 ? [] : ranksOf(search, expression, maxWeighed + found.size + 1)
    const remaining = candidates.filter((rank) => !found.has(rank))
    if (terms.length > 1 && remaining.length <= maxWeighed) {
      addWeighed(remaining)
      continue
    }
    const tried = new Set<string>()
    for (const grade of grades) {
      const gradeQuery = narrowed(gradeExpression(terms, grade), narrowing)
      // Where no word may have a typo, looser grades match the same.
      if (found.size < wanted && !tried.has(gradeQuery)) {
        tried.add(gradeQuery)
        add(ranksOf(search, gradeQuery, wanted + found.size), scoreOf(gradeFitness(grade, terms.length), terms.length))
      }
    }
  }
  return page(found, query)
}

const page = (found: Map<number, number>, { offset, limit }: SearchQuery): Match[] =>
  [...found].slice(offset, offset + limit).map(([rank, score]) => ({ rank, score }))

/** Skills of these ranks, the best fit first; ties by the smallest rank. */
const weighed = (
  { db, slot }: PreparedSearch,
  ranks: number[],
  weigh: (words: string) => Fitness,
): { rank: number; fitness: Fitness }[] =>
  db
    .all<{ rank: number; words: string }>(
      `SELECT rank, words FROM documents_${slot} WHERE rank IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(ranks)],
    )
    .map(({ rank, words }) => ({ rank, fitness: weigh(words) }))
    .sort((a, b) => byFitness(a.fitness, b.fitness) || a.rank - b.rank)

/** Skills whose `owner/repo`, or whose name, equals the text. */
function exactMatches(
  search: PreparedSearch,
  columns: ('id_hash' | 'name_hash' | 'repo_hash')[],
  limit: number,
): number[] {
  const { db, slot, query, narrowing } = search
  const key = textKey(query.text)
  const isNarrowed = narrowing.must.length + narrowing.mustNot.length + narrowing.conditions.length > 0
  const candidates = columns
    .flatMap((column) =>
      db.all(`SELECT rank FROM documents_${slot} WHERE ${column} = ? ORDER BY rank LIMIT ?`, [
        keyHash(key),
        isNarrowed ? searchSettings.counted : limit,
      ]),
    )
    .map((row) => Number(row['rank']))
    .sort((a, b) => a - b)
  if (!isNarrowed) {
    return candidates
  }
  return select(
    search,
    'w.rowid AS rank',
    narrowed(allOf(termsOf(search), 'anywhere', allGroups, 'exact'), narrowing),
    'AND w.rowid IN (SELECT value FROM json_each(?)) ORDER BY w.rowid LIMIT ?',
    [JSON.stringify(candidates), limit],
  ).map((row) => Number(row['rank']))
}
