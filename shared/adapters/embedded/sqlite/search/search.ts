import type { Placement, SearchQuery } from '../../../../ports/search-index.js'
import type { SkillSort } from '../../../../ports/skill-reader.js'
import { searchSettings } from '../../../../search-settings.js'
import type { Concept, ReadQuery } from '../../../../text/concepts.js'
import { allConcepts, placedScore, Weigher } from '../../../../text/weigh.js'
import type { SqliteDatabase, SqlValue } from '../database.js'
import { allOf, isNarrowed, type Narrowing, narrowed } from './expressions.js'
import { keyHash, type nameColumns, type Slot } from './index-tables.js'

/** Skills read for each way to have some of the words. */
const maxPartial = 100

/** A search prepared for one slot's tables. */
export interface PreparedSearch {
  db: SqliteDatabase
  slot: Slot
  query: Pick<SearchQuery, 'sort' | 'order' | 'limit'>
  read: ReadQuery
  narrowing: Narrowing
}

/** A match: the rank of its document, why it stands where it does, and its score (null: not by relevance). */
export interface Match {
  rank: number
  placement: Placement
  score: number | null
}

/** The matches of a search, in order: at most `maxReach`. */
export interface Matches {
  matches: Match[]
  /** Whether there may be more. */
  areMore: boolean
}

/** Finds the skills of a search, in its order. */
export function findMatches(search: PreparedSearch): Matches {
  const { concepts } = search.read
  if (search.query.sort !== 'relevance') {
    return sortedMatches(search, search.query.sort)
  }
  if (concepts.length === 0) {
    return bounded(ranksOf(search, null, searchSettings.maxReach + 1).map(unweighed))
  }
  const complete = completeRanks(search)
  const exact = exactMatches(search, complete)
  const isEnough = complete.length + exact.length >= enoughFor(search)
  const candidates = new Set([
    ...(complete.length > searchSettings.maxWeighed ? namedRanks(search, complete) : []),
    ...complete.slice(0, searchSettings.maxWeighed),
    ...(mayBeName(search.read) ? namedByAllWords(search) : []),
    ...(isEnough ? [] : partialRanks(search)),
  ])
  const found = new Map(exact.map((match) => [match.rank, match]))
  for (const match of [...weigh(search, [...candidates]), ...complete.map(unweighed)]) {
    if (!found.has(match.rank)) {
      found.set(match.rank, match)
    }
  }
  return bounded([...found.values()])
}

/** Skills with all words in the order of a column; where there is none, those with some of the words. */
function sortedMatches(search: PreparedSearch, sort: SkillSort): Matches {
  const all = search.read.concepts.length === 0 ? null : allOf(search.read.concepts)
  const complete = sorted(search, sort, all)
  const exact = new Map(exactMatches(search, complete).map(({ rank, placement }) => [rank, placement]))
  const isPartial = all !== null && complete.length === 0
  const ranks = isPartial ? sorted(search, sort, [...exact.keys(), ...partialRanks(search)]) : complete
  const otherwise = isPartial ? 'some words' : 'all words'
  return bounded(ranks.map((rank) => ({ rank, placement: exact.get(rank) ?? otherwise, score: null })))
}

/** Skills with all words that fill a page, of the usual size at least: then those with some of the words do not follow. */
const enoughFor = ({ query }: PreparedSearch): number => Math.max(searchSettings.enough, query.limit)

/** Names seldom have more words. */
const maxNameWords = 5

/** Whether a name may have all words, function words too, that are not searched otherwise. */
const mayBeName = ({ words, concepts }: ReadQuery): boolean =>
  words.length > concepts.length && words.length <= maxNameWords

const unweighed = (rank: number): Match => ({ rank, placement: 'all words', score: allConcepts })

/** Skills with all concepts; of more than are weighed, those with the whole last word first. */
function completeRanks(search: PreparedSearch): number[] {
  const { concepts } = search.read
  if (!concepts.every(({ isKnown }) => isKnown)) {
    return []
  }
  const limit = searchSettings.maxReach + 1
  const hasPrefix = concepts.some(({ isPrefix }) => isPrefix)
  const withWhole = () => ranksOf(search, allOf(concepts.map((concept) => ({ ...concept, isPrefix: false }))), limit)
  // A frequent word alone is enough: those that it begins are many, and slow to merge.
  const whole = hasPrefix && concepts.length === 1 ? withWhole() : null
  if (whole?.length === limit) {
    return whole
  }
  const ranks = ranksOf(search, allOf(concepts), limit)
  return hasPrefix && ranks.length > searchSettings.maxWeighed
    ? [...new Set([...(whole ?? withWhole()), ...ranks])].slice(0, limit)
    : ranks
}

const bounded = (matches: Match[]): Matches => ({
  matches: matches.slice(0, searchSettings.maxReach),
  areMore: matches.length > searchSettings.maxReach,
})

/**
 * Skills with some of the words: without the rarest or the most frequent one, then with two of the rarest, then with one
 * of them, until there are enough for three pages.
 */
function partialRanks(search: PreparedSearch): number[] {
  const known = search.read.concepts.filter(({ isKnown }) => isKnown).sort((a, b) => b.rarity - a.rarity)
  const [first = [], second = [], third = []] = known.map((concept) => [concept])
  const groups: Concept[][][] = [
    known.length < search.read.concepts.length ? [known] : [],
    known.length > 2 ? [known.slice(0, -1), known.slice(1)] : [],
    known.length > 3
      ? [
          [...first, ...second],
          [...first, ...third],
          [...second, ...third],
        ]
      : [],
    [first],
    [second],
  ]
  const found = new Set<number>()
  for (const group of groups) {
    const expressions = group.filter(({ length }) => length > 0).map(allOf)
    if (expressions.length > 0 && found.size < 3 * enoughFor(search)) {
      const any = expressions.map((expression) => `(${expression})`).join(' OR ')
      for (const rank of ranksOf(search, any, maxPartial)) {
        found.add(rank)
      }
    }
  }
  return [...found]
}

/**
 * Skills with all concepts in name or repository, the most starred first.
 *
 * @param complete skills with all concepts that meet the conditions of the search: all, or the most starred of them
 */
function namedRanks(search: PreparedSearch, complete: readonly number[]): number[] {
  const ranks = readNamed(search, ['name', 'repo'], allOf(search.read.concepts))
  if (!isNarrowed(search.narrowing)) {
    return ranks
  }
  const known = new Set(complete)
  const others = complete.length > searchSettings.maxReach ? ranks.filter((rank) => !known.has(rank)) : []
  return [...ranks.filter((rank) => known.has(rank)), ...withConditions(search, others)]
}

/** Skills with all words as written in name or repository, function words too. */
const namedByAllWords = (search: PreparedSearch): number[] => {
  const { words, lastIsPrefix } = search.read
  return namedWith(
    search,
    ['name', 'repo'],
    `${words.map((word) => `"${word}"`).join(' AND ')}${lastIsPrefix ? ' *' : ''}`,
  )
}

/** Skills that match an expression in these columns of the table of names, the most starred first. */
export function namedWith(search: PreparedSearch, columns: (typeof nameColumns)[number][], words: string): number[] {
  const ranks = readNamed(search, columns, words)
  return isNarrowed(search.narrowing) ? withConditions(search, ranks) : ranks
}

const readNamed = ({ db, slot }: PreparedSearch, columns: (typeof nameColumns)[number][], words: string): number[] =>
  listed(db, `SELECT rowid AS rank FROM names_${slot} WHERE names_${slot} MATCH ? ORDER BY rowid LIMIT ?`, [
    `{${columns.join(' ')}} : (${words})`,
    searchSettings.maxWeighed,
  ])

/** Those of `ranks` that meet the conditions of the search. */
function withConditions(search: PreparedSearch, ranks: number[]): number[] {
  const { sql, bound } = selection(search, narrowed(null, search.narrowing), '', [], 'json_each(?) m CROSS JOIN')
  return ranks.length === 0 ? [] : listed(search.db, `${sql} AND w.rowid = m.value`, [JSON.stringify(ranks), ...bound])
}

/**
 * Skills whose `owner/repo`, then those whose name, then those whose repository is the text; where there is none, the
 * corrected text.
 *
 * @param meeting skills that are known to meet the conditions of the search: each other one is looked up
 */
export function exactMatches(search: PreparedSearch, meeting: readonly number[] = []): Match[] {
  const { db, slot, read, narrowing } = search
  // A text without words equals no name.
  for (const name of read.names.filter((key) => key !== '')) {
    const rows = db.all<{ rank: number; place: number }>(
      `SELECT rank, min(place) AS place FROM (
         SELECT rank, 1 AS place FROM documents_${slot} WHERE id_hash = ?1
         UNION ALL SELECT rank, 2 FROM documents_${slot} WHERE name_hash = ?1
         UNION ALL SELECT rank, 3 FROM documents_${slot} WHERE repo_hash = ?1
       ) GROUP BY rank ORDER BY min(place), rank LIMIT ?2`,
      [keyHash(name), searchSettings.maxReach],
    )
    const known = new Set(meeting)
    const others = rows.map(({ rank }) => rank).filter((rank) => !known.has(rank))
    const wanted = isNarrowed(narrowing) ? new Set([...known, ...withConditions(search, others)]) : null
    const found = rows.filter(({ rank }) => wanted?.has(rank) ?? true)
    if (found.length > 0) {
      return found.map(({ rank, place }) =>
        place === 1
          ? { rank, placement: 'owner/repo', score: 1 }
          : { rank, placement: 'name', score: place === 2 ? 0.99 : 0.98 },
      )
    }
  }
  return []
}

/** The candidates, the best first: those with all concepts before the others. */
export function weigh({ db, slot, read }: PreparedSearch, ranks: number[]): Match[] {
  const weigher = new Weigher(read)
  const all = read.concepts.length
  // As one text: a row for each would take three times as long.
  const row = db.get<{ texts: string | null }>(
    `SELECT group_concat(rank || char(10) || words, char(30)) AS texts FROM texts_${slot}
     WHERE rank IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(ranks)],
  )
  const texts = row?.texts ?? ''
  return (texts === '' ? [] : texts.split('\u001e'))
    .map((text) => {
      const start = text.indexOf('\n')
      const rank = Number(text.slice(0, start))
      const fitness = weigher.weigh(text.slice(start + 1))
      const placement: Placement = fitness.found === all ? 'all words' : 'some words'
      return { rank, placement, score: placedScore(fitness, all) }
    })
    .sort((a, b) => b.score - a.score || a.rank - b.rank)
}

/**
 * A statement that selects from the full-text table `w`, joined with the documents `d` where a condition needs it.
 *
 * @param before tables that are read first
 */
function selection(
  { slot, narrowing }: PreparedSearch,
  expression: string,
  tail: string,
  values: SqlValue[],
  before = '',
): { sql: string; bound: SqlValue[] } {
  // CROSS fixes the join order: full text first, then each document by its rank.
  const join = narrowing.joins ? `CROSS JOIN documents_${slot} d ON d.rank = w.rowid` : ''
  const conditions = narrowing.conditions.map((condition) => ` AND ${condition.sql}`).join('')
  return {
    sql: `SELECT w.rowid AS rank FROM ${before} words_${slot} w ${join} WHERE words_${slot} MATCH ?${conditions} ${tail}`,
    bound: [expression, ...narrowing.conditions.flatMap((condition) => condition.values), ...values],
  }
}

/** The ranks that a statement selects, in its order. As one text: a row for each would take three times as long. */
function listed(db: SqliteDatabase, sql: string, values: SqlValue[]): number[] {
  const row = db.get<{ ranks: string | null }>(`SELECT group_concat(rank) AS ranks FROM (${sql})`, values)
  const ranks = row?.ranks ?? ''
  return ranks === '' ? [] : ranks.split(',').map(Number)
}

/** The first matches of an expression, by rank; null: of the conditions alone. */
function ranksOf(search: PreparedSearch, expression: string | null, limit: number): number[] {
  const { sql, bound } = selection(search, narrowed(expression, search.narrowing), 'ORDER BY w.rowid LIMIT ?', [limit])
  return listed(search.db, sql, bound)
}

const sortColumns = { updated: 'updated_at', stars: 'stars', created: 'created_at', name: 'name_key' } as const

/**
 * The ranks of the first matches sorted by a column instead of fitness; skills without a value come last.
 *
 * @param source an expression, null for the conditions alone, or ranks
 */
function sorted({ slot, ...search }: PreparedSearch, sort: SkillSort, source: string | number[] | null): number[] {
  const { order } = search.query
  const column = `d.${sortColumns[sort]}`
  // Ties as in the list: the reverse of an order reverses ids too.
  const idOrder = (order === 'asc') === (sort === 'name') ? 'ASC' : 'DESC'
  const inOrder = `ORDER BY ${column} IS NULL, ${column} ${order === 'asc' ? 'ASC' : 'DESC'}, d.id ${idOrder} LIMIT ${searchSettings.maxReach + 1}`
  const { sql, bound } =
    source === null || typeof source === 'string'
      ? selection(
          { slot, ...search, narrowing: { ...search.narrowing, joins: true } },
          narrowed(source, search.narrowing),
          inOrder,
          [],
        )
      : {
          sql: `SELECT rank FROM documents_${slot} d WHERE rank IN (SELECT value FROM json_each(?)) ${inOrder}`,
          bound: [JSON.stringify(source)],
        }
  return listed(search.db, sql, bound)
}
