import { unitVector } from '../../../../embedding/built-in-embedder.js'
import type { Vector } from '../../../../ports/embedder.js'
import { type Concept, stemsOfConcept } from '../../../../ranking/concepts.js'
import { lengthOfText } from '../../../../ranking/weigh.js'
import { searchSettings } from '../../../../search-settings.js'
import { stemsOf } from '../../../../text/analyze.js'
import type { SqliteDatabase } from '../database.js'
import { isNarrowed, rowConditions } from '../filters.js'
import {
  allOf,
  columnOf,
  documentsWithSkills,
  listOf,
  type Meaning,
  otherThanCopies,
  type PreparedSearch,
  phrase,
  ranksIn,
  ranksOf,
  readRanks,
  wordLinesOf,
} from './index-reads.js'
import type { VectorCodes } from './vector-codes.js'

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
  /** The concepts that the text of a document has, as far as the documents with each of them were read. */
  conceptsIn(rank: number): Concept[]
}

/**
 * The skills whose text fits a search best: what its words count that the text has, of all that they count, and less in a
 * text with many different words.
 * A skill has all words of each phrase of the query in its text, or the phrase in a field.
 */
export function findInTexts(search: PreparedSearch): TextMatches {
  const { db, read, phrases } = search
  const { found, sums } = sumByRarity(search, 'bodies', [...read.concepts, ...read.unknown], (concept) =>
    stemsOfConcept(concept)
      .map((stems) => `(${allStems(stems)})`)
      .join(' OR '),
  )
  const ranks = phrases.reduce((left, tokens) => withPhrase(search, left, tokens), bestOf(search, sums))
  const lengths = columnOf<number>(db, 'texts', 'stems', ranks)
  const scores = ranks.map((rank): [number, number] => [
    rank,
    (sums.get(rank) ?? 0) / lengthOfText(lengths.get(rank) ?? 0, read.isTask),
  ])
  return {
    scores: new Map(scores.sort(([a, left], [b, right]) => right - left || a - b)),
    conceptsIn: (rank) => [...found].filter(([, ranks]) => ranks.includes(rank)).map(([concept]) => concept),
  }
}

const allStems = (stems: readonly string[]): string => stems.map((stem) => phrase([stem])).join(' AND ')

/** The documents that have the words of a phrase in their text, or the phrase in a field. */
function withPhrase({ db }: PreparedSearch, ranks: number[], tokens: string[]): number[] {
  const asked = listOf(ranks)
  const having = (table: 'words' | 'bodies', expression: string) =>
    readRanks(
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
    const ranks =
      expression === ''
        ? []
        : readRanks(db, `SELECT rowid AS rank FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid LIMIT ?`, [
            expression,
            limit,
          ])
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

/** The best sums of the documents that meet the conditions of a search. */
function bestOf(search: PreparedSearch, sums: Map<number, number>): number[] {
  const ranks = [...sums].sort(([a, left], [b, right]) => right - left || a - b).map(([rank]) => rank)
  const first = isNarrowed(search.narrowing) ? searchSettings.maxReach : maxBest
  return filterRanks(search, firstAndDifferent(search, ranks, { first, different: searchSettings.maxNearest }))
}

/**
 * The `ranks` whose skills meet the conditions of the search. Looked up one by one: full text would be read from its first
 * match on.
 *
 * @param phrases words in a row that the fields of each must have
 */
export function filterRanks(
  { db, query, excluded }: PreparedSearch,
  ranks: number[],
  phrases: string[][] = [],
): number[] {
  const { sql, values } = rowConditions(query.filters)
  const found =
    sql === ''
      ? ranks
      : readRanks(
          db,
          `SELECT d.rank AS rank FROM json_each(?) m CROSS JOIN ${documentsWithSkills} WHERE d.rank = m.value${sql}`,
          [listOf(ranks), ...values],
        )
  if (phrases.length + excluded.length === 0) {
    return found
  }
  const has = (lines: string, tokens: string[]) => lines.includes(` ${tokens.join(' ')} `)
  return [...wordLinesOf(db, found)].flatMap(([rank, lines]) =>
    phrases.every((tokens) => has(lines, tokens)) && !excluded.some((tokens) => has(lines, tokens)) ? [rank] : [],
  )
}

/** Documents whose copies are looked up at a time. */
const lookedUpAtOnce = 1_000

/** Whether so many of these documents are copies of others that fewer than this number differ. */
export const haveCopies = (
  { db, query }: Pick<PreparedSearch, 'db' | 'query'>,
  ranks: readonly number[],
  different: number,
): boolean => query.fold && ranks.length > different && otherThanCopies(db)(ranks).length < different

/**
 * The first ranks, and where many of them are copies, later ones that are none, until so many documents differ: a skill with
 * a hundred copies must not take the places of a hundred others.
 *
 * @param first so many are returned in any case
 * @param different so many that are no copies of ones before are looked for
 */
export function firstAndDifferent(
  { db, query }: Pick<PreparedSearch, 'db' | 'query'>,
  ranks: readonly number[],
  { first, different }: { first: number; different: number },
): number[] {
  const found = ranks.slice(0, first)
  if (!query.fold || ranks.length <= first) {
    return found
  }
  const differing = otherThanCopies(db)
  let missing = different - differing(found).length
  for (let start = first; start < ranks.length && missing > 0; start += lookedUpAtOnce) {
    const others = differing(ranks.slice(start, start + lookedUpAtOnce)).slice(0, missing)
    found.push(...others)
    missing -= others.length
  }
  return found
}

/** A document near to a vector. */
export interface Near {
  rank: number
  /** The cosine between the two. */
  similarity: number
}

/** Vectors that are compared exactly, beyond those that are wanted: codes are only nearly in their order, some are copies. */
const moreCompared = 100

/** Codes that are read besides where most of these are of copies. */
const moreWithCopies = 3_000

/** Up to so many documents that meet the conditions, only their codes are searched; above, all codes. */
const maxListed = 50_000

/** The same, where the row of each skill has to be read for that. */
const maxRowsRead = 5_000

/**
 * The documents nearest to a vector that meet the conditions of a search, the nearest first.
 *
 * @param count that are wanted; somewhat more are returned
 * @param enough where so many of the nearest meet the conditions, no others are looked for
 */
export function nearest(
  search: PreparedSearch,
  { vector, codes }: Meaning,
  { count, enough }: { count: number; enough: number },
): Near[] {
  const { db, phrases } = search
  codes.update(db, vector.length)
  const compared = count + moreCompared
  const first = codes.nearest(vector, compared, null)
  const different = searchSettings.maxNearest
  const best = haveCopies(search, first, different)
    ? firstAndDifferent(search, codes.nearest(vector, compared + moreWithCopies, null), { first: compared, different })
    : first
  const near = filterRanks(search, best, phrases)
  const areAll = !isNarrowed(search.narrowing) && phrases.length === 0
  if (areAll || near.length >= enough) {
    return nearAmong(db, vector, near)
  }
  // Few of the nearest meet the conditions: the nearest of those that do, where they can be listed.
  const having = phrases.length === 0 ? null : phrases.map(phrase).join(' AND ')
  const max = search.meeting === null && search.narrowing.rows.length > 0 ? maxRowsRead : maxListed
  const { ranks, areMore } = ranksOf(search, having, max, max)
  const wanted = areMore
    ? filterRanks(search, codes.nearest(vector, 10 * compared, null), phrases)
    : codes.nearest(vector, compared, new Set(ranks))
  return nearAmong(db, vector, wanted)
}

/** The documents nearest to one of them, without itself, somewhat more than `count`; empty where it has no vector. */
export function nearestTo(db: SqliteDatabase, codes: VectorCodes, rank: number, count: number): Near[] {
  const kept = db.value<ArrayBuffer>(`SELECT vector FROM vectors WHERE rank = ?`, [rank])
  if (kept === null) {
    return []
  }
  const vector = vectorIn(kept)
  codes.update(db, vector.length)
  const ranks = codes.nearest(vector, count + moreCompared, null).filter((other) => other !== rank)
  return nearAmong(db, vector, ranks)
}

/** A kept vector, of unit length. */
export function vectorIn(bytes: ArrayBuffer): Vector {
  const numbers = new Int8Array(bytes)
  return unitVector(numbers) ?? Float32Array.from(numbers)
}

/** Those of these documents that are near, the nearest first, by their whole vectors. */
export function nearAmong(db: SqliteDatabase, vector: Vector, ranks: number[]): Near[] {
  // As one row: one for each would take three times as long.
  const row = db.get<{ ranks: string | null; vectors: ArrayBuffer | null }>(
    `SELECT group_concat(rank) AS ranks, CAST(group_concat(vector, '') AS BLOB) AS vectors
     FROM json_each(?) m CROSS JOIN vectors v ON v.rank = m.value`,
    [listOf(ranks)],
  )
  const all = new Int8Array(row?.vectors ?? [])
  const near: Near[] = []
  for (const [at, rank] of ranksIn(row?.ranks ?? '').entries()) {
    const similarity = cosine(vector, all, at * vector.length)
    if (similarity >= searchSettings.minSimilarity) {
      near.push({ rank, similarity })
    }
  }
  return near.sort((a, b) => b.similarity - a.similarity || a.rank - b.rank)
}

/** The cosine between a vector of unit length and the one that begins at a place. */
function cosine(vector: Vector, all: Int8Array, start: number): number {
  let [dot, squares] = [0, 0]
  for (let at = 0; at < vector.length; at += 1) {
    const value = all[start + at] as number
    dot += (vector[at] as number) * value
    squares += value * value
  }
  return squares === 0 ? 0 : dot / Math.sqrt(squares)
}
