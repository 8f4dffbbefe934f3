import { unitVector } from '../../../../embedding/unit-vector.js'
import type { Vector } from '../../../../ports/embedder.js'
import type { SkillFilters } from '../../../../ports/skill-reader.js'
import { searchSettings } from '../../../../search-settings.js'
import { meaningScore } from '../../../../text/fuse.js'
import type { SqliteDatabase } from '../database.js'
import { columnConditions, isNarrowed } from './expressions.js'
import { documentsWithSkills } from './index-tables.js'
import { listed, type PreparedSearch, ranksOf, textsOf } from './read-ranks.js'
import type { VectorCodes } from './vector-codes.js'

/** A document near to a vector. */
export interface Near {
  rank: number
  placement: 'meaning'
  score: number
  /** The cosine between the two. */
  similarity: number
}

/** Vectors that are compared exactly, beyond those that are wanted: codes are only nearly in their order, some are copies. */
const moreCompared = 100

/** Documents that meet the conditions of a search: up to so many, their codes alone are searched. */
const maxListed = 50_000

/** What every skill must meet, however it is found. */
export interface Required {
  filters: SkillFilters
  /** Words in a row that its text has. */
  phrases: string[][]
  /** Words in a row that it has not. */
  excluded: string[][]
}

/**
 * The documents nearest to a vector that meet the conditions of a search, the nearest first.
 *
 * @param search its narrowing says the same as `required`
 * @param count that are wanted; somewhat more are returned
 * @param enough where so many of the nearest meet the conditions, no others are looked for
 */
export function nearest(
  search: PreparedSearch,
  codes: VectorCodes,
  vector: Vector,
  required: Required,
  { count, enough }: { count: number; enough: number },
): Near[] {
  const { db } = search
  codes.update(db, vector.length)
  const compared = count + moreCompared
  if (!isNarrowed(search.narrowing)) {
    return compare(db, vector, codes.nearest(vector, compared, null))
  }
  const near = meeting(search, required, codes.nearest(vector, compared, null))
  if (near.length >= enough) {
    return compare(db, vector, near)
  }
  // Few of the nearest meet the conditions: the nearest of those that do, where they can be listed.
  const { ranks, areMore } = ranksOf(search, null, maxListed, maxListed)
  const wanted = areMore
    ? meeting(search, required, codes.nearest(vector, 10 * compared, null))
    : codes.nearest(vector, compared, new Set(ranks))
  return compare(db, vector, wanted)
}

/** Those of `ranks` that meet the conditions. Full text would look for them from its first match on. */
function meeting({ db }: PreparedSearch, { filters, phrases, excluded }: Required, ranks: number[]): number[] {
  const { sql, values } = columnConditions(filters)
  const found =
    sql === ''
      ? ranks
      : listed(
          db,
          `SELECT d.rank AS rank FROM json_each(?) m CROSS JOIN ${documentsWithSkills} WHERE d.rank = m.value${sql}`,
          [JSON.stringify(ranks), ...values],
        )
  if (phrases.length + excluded.length === 0) {
    return found
  }
  const has = (lines: string, tokens: string[]) => lines.includes(` ${tokens.join(' ')} `)
  return [...textsOf(db, found)].flatMap(([rank, lines]) =>
    phrases.every((tokens) => has(lines, tokens)) && !excluded.some((tokens) => has(lines, tokens)) ? [rank] : [],
  )
}

/** The documents nearest to one of them, without itself, somewhat more than `count`; empty where it has no vector. */
export function nearestTo(db: SqliteDatabase, codes: VectorCodes, rank: number, count: number): Near[] {
  const row = db.get<{ vector: ArrayBuffer }>(`SELECT vector FROM vectors WHERE rank = ?`, [rank])
  if (row === null) {
    return []
  }
  const vector = vectorIn(row.vector)
  codes.update(db, vector.length)
  const ranks = codes.nearest(vector, count + moreCompared, null).filter((other) => other !== rank)
  return compare(db, vector, ranks)
}

/** A kept vector, of unit length. */
export function vectorIn(bytes: ArrayBuffer): Vector {
  const numbers = new Int8Array(bytes)
  return unitVector(numbers) ?? Float32Array.from(numbers)
}

/** The nearest of these documents, by their whole vectors. */
function compare(db: SqliteDatabase, vector: Vector, ranks: number[]): Near[] {
  // As one text: a row for each would take three times as long.
  const row = db.get<{ ranks: string | null; vectors: string | null }>(
    `SELECT group_concat(rank) AS ranks, group_concat(hex(vector), '') AS vectors FROM json_each(?) m CROSS JOIN vectors v ON v.rank = m.value`,
    [JSON.stringify(ranks)],
  )
  const bytes = Buffer.from(row?.vectors ?? '', 'hex')
  const all = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const known = (row?.ranks ?? '') === '' ? [] : (row?.ranks ?? '').split(',').map(Number)
  return known
    .map((rank, at) => ({ rank, similarity: cosine(vector, all, at * vector.length) }))
    .filter(({ similarity }) => similarity >= searchSettings.minSimilarity)
    .map((each): Near => ({ ...each, placement: 'meaning', score: meaningScore(each.similarity) }))
    .sort((a, b) => b.similarity - a.similarity || a.rank - b.rank)
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
