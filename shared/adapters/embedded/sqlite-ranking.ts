import type { SearchQuery } from '../../ports/search-index.js'
import { searchSettings } from '../../search-settings.js'
import { textKey } from '../../text/analyze.js'
import { byFitness, type Fitness, farApart, scoreOf } from '../../text/fitness.js'
import { keyHash } from './sqlite-index-tables.js'
import {
  allGroups,
  allOf,
  anyReading,
  type Closeness,
  type ExpandedTerm,
  type Looseness,
  narrowed,
} from './sqlite-match.js'
import { baseExpression, type Match, type PreparedSearch, ranksOf, select, termsOf } from './sqlite-search.js'
import { weigher } from './weigh-match.js'

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

/**
 * Matches in the order of the published ranking: skip `offset`, then `limit`.
 *
 * @param few all of them, where they are few: to weigh them all at once takes less than to ask stage by stage
 */
export function rankedMatches(search: PreparedSearch, total: number, few: number[] | null): Match[] {
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
  const addWeighed = (ranks: number[]) => {
    for (const { rank, fitness } of weighed(search, ranks, weigh)) {
      add([rank], scoreOf(fitness, terms.length))
    }
  }
  if (few !== null && terms.length > 1) {
    addWeighed(few.filter((rank) => !found.has(rank)))
    return page(found, query)
  }
  for (const { expression, grades } of stagesOf(search, terms)) {
    if (found.size >= wanted) {
      break
    }
    const some = terms.length === 1 ? [] : ranksOf(search, expression, maxWeighed + found.size + 1)
    const left = some.filter((rank) => !found.has(rank))
    if (terms.length > 1 && left.length <= maxWeighed) {
      addWeighed(left)
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
  weigh: (words: string) => Fitness,
): { rank: number; fitness: Fitness }[] =>
  db
    .all<{ rank: number; words: string }>(
      `SELECT rank, words FROM documents_${slot} WHERE rank IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(ranks)],
    )
    .map(({ rank, words }) => ({ rank, fitness: weigh(words) }))
    .sort((a, b) => byFitness(a.fitness, b.fitness) || a.rank - b.rank)

/** Skills whose `owner/repo`, or whose name, is just what was asked for. */
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
