import { searchSettings } from '../../../../search-settings.js'
import type { Concept } from '../../../../text/concepts.js'
import { stemsOf, stemsOfConcept } from '../../../../text/text-stems.js'
import type { SqliteDatabase } from '../database.js'
import { allOf, isNarrowed, phrase } from './expressions.js'
import { columnOf, listed, type PreparedSearch, withConditions } from './read-ranks.js'

/** Documents with one word that are read: a word of more says little, and the most starred are among them. */
const maxPerWord = 5_000

/** Documents that are read for all words: in some 5 ms. */
const maxRead = 20_000

/** The best sums that are looked at further. */
const maxBest = 150

/** The words of a search in the texts of skills. */
export interface TextMatches {
  /** How well each text fits, by rank; the best first. */
  scores: Map<number, number>
  /** The concepts that the text of a document has. */
  conceptsIn(rank: number): Concept[]
}

/**
 * The skills whose text fits a search best: what its words count that the text has, of all that they count, and less in a
 * text with many different words.
 *
 * @param phrases of the query: a skill has all words of each in its text, or the phrase in a field
 */
export function findInTexts(search: PreparedSearch, phrases: string[][]): TextMatches {
  const { db, read } = search
  const { found, sums } = sumByRarity(search, 'bodies', [...read.concepts, ...read.unknown], (concept) =>
    stemsOfConcept(concept)
      .map((stems) => `(${allStems(stems)})`)
      .join(' OR '),
  )
  const ranks = phrases.reduce((left, tokens) => withPhrase(search, left, tokens), bestOf(search, sums))
  const lengths = columnOf(db, 'texts', 'stems', ranks)
  const { usualStems, lengthCounts } = searchSettings.text
  const scores = ranks.map((rank): [number, number] => {
    // A shorter text counts no more: a stub has few words because it says little.
    const length = Math.max(1, 1 - lengthCounts + (lengthCounts * Number(lengths.get(rank) ?? 0)) / usualStems)
    return [rank, (sums.get(rank) ?? 0) / length]
  })
  return {
    scores: new Map(scores.sort(([a, left], [b, right]) => right - left || a - b)),
    conceptsIn: (rank) => [...found].filter(([, ranks]) => ranks.includes(rank)).map(([concept]) => concept),
  }
}

const allStems = (stems: readonly string[]): string => stems.map((stem) => phrase([stem])).join(' AND ')

/** The documents that have the words of a phrase in their text, or the phrase in a field. */
function withPhrase({ db }: PreparedSearch, ranks: number[], tokens: string[]): number[] {
  const asked = JSON.stringify(ranks)
  const having = (table: 'words' | 'bodies', expression: string) =>
    listed(
      db,
      `SELECT ${table}.rowid AS rank FROM json_each(?) m CROSS JOIN ${table} WHERE ${table} MATCH ? AND ${table}.rowid = m.value`,
      [asked, expression],
    )
  const meeting = new Set([...having('words', phrase(tokens)), ...having('bodies', allStems(stemsOf(tokens)))])
  return ranks.filter((rank) => meeting.has(rank))
}

/** The skills whose fields have most of what the words of a task count, the best first. */
export const findInFields = (search: PreparedSearch): number[] =>
  bestOf(search, sumByRarity(search, 'words', search.read.concepts, (concept) => allOf([concept])).sums)

/**
 * What the words count that each document has, of all that they count; the rarest words are read first.
 *
 * @param expressionOf empty: the concept is not looked for
 */
function sumByRarity(
  { db, vocabulary }: PreparedSearch,
  table: 'words' | 'bodies',
  concepts: Concept[],
  expressionOf: (concept: Concept) => string,
): { found: Map<Concept, number[]>; sums: Map<number, number> } {
  const found = new Map<Concept, number[]>()
  const rarities = new Map<Concept, number>()
  let left = maxRead
  for (const concept of [...concepts].sort((a, b) => b.rarity - a.rarity)) {
    const expression = expressionOf(concept)
    const limit = Math.min(maxPerWord, left)
    const ranks = expression === '' || limit === 0 ? [] : first(db, table, expression, limit)
    left -= ranks.length
    found.set(concept, ranks)
    // A word that is rare in names may be frequent in texts.
    rarities.set(concept, Math.min(concept.rarity, vocabulary.rarity(ranks.length)))
  }
  const total = [...rarities.values()].reduce((sum, rarity) => sum + rarity, 0)
  const sums = new Map<number, number>()
  for (const [concept, ranks] of found) {
    const share = (rarities.get(concept) ?? 0) / total
    for (const rank of ranks) {
      sums.set(rank, (sums.get(rank) ?? 0) + share)
    }
  }
  return { found, sums }
}

const first = (db: SqliteDatabase, table: 'words' | 'bodies', expression: string, limit: number): number[] =>
  listed(db, `SELECT rowid AS rank FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid LIMIT ?`, [expression, limit])

/** The best sums of the documents that meet the conditions of a search. */
function bestOf(search: PreparedSearch, sums: Map<number, number>): number[] {
  const isFiltered = isNarrowed(search.narrowing)
  const best = [...sums]
    .sort(([a, left], [b, right]) => right - left || a - b)
    .slice(0, isFiltered ? searchSettings.maxReach : maxBest)
    .map(([rank]) => rank)
  if (!isFiltered) {
    return best
  }
  const meeting = new Set(withConditions(search, best))
  return best.filter((rank) => meeting.has(rank))
}
