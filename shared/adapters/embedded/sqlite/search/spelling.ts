import {
  mapFindsBeginnings,
  oneTypoVariants,
  queryTypos,
  spellingVariants,
  toleratedTypos,
} from '../../../../text/spelling.js'
import type { SqliteDatabase } from '../database.js'
import { type Slot, textColumns } from './index-tables.js'

/** Words of the index that a misspelled word of the query may mean. */
export interface Corrections {
  one: string[]
  two: string[]
}

/** The number of completions that Meilisearch considers, and the same ones: the first in alphabetical order. */
const maxCorrections = { one: 150, two: 50 }

/** Words of the map that are compared with a word of the query. */
const maxCompared = 2_000

/**
 * The words of the index within one and within two typos of a word.
 *
 * @param unfinished whether the word may be the beginning of a longer one
 * @param typosUsed typos that joining words has used up
 */
export function correctionsOf(
  db: SqliteDatabase,
  slot: Slot,
  word: string,
  { unfinished, typosUsed }: { unfinished: boolean; typosUsed: number },
): Corrections {
  const tolerated = toleratedTypos(word) - typosUsed
  if (tolerated !== 1 && tolerated !== 2) {
    return { one: [], two: [] }
  }
  const near = new Set(similarWords(db, slot, word, tolerated))
  if (unfinished && !mapFindsBeginnings(word)) {
    for (const term of wordsBeginningWith(db, slot, [...oneTypoVariants(word)])) {
      near.add(term)
    }
  }
  const corrections: Corrections = { one: [], two: [] }
  for (const term of [...near].sort(byteOrder)) {
    const typos =
      term === word || (unfinished && term.startsWith(word)) ? 0 : queryTypos(word, term, unfinished, tolerated)
    if (typos === 1 && corrections.one.length < maxCorrections.one) {
      corrections.one.push(term)
    } else if (typos === 2 && tolerated === 2 && corrections.two.length < maxCorrections.two) {
      corrections.two.push(term)
    }
  }
  return corrections
}

const byteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const similarWords = (db: SqliteDatabase, slot: Slot, word: string, tolerated: 1 | 2): string[] =>
  db
    .all<{ term: string }>(
      `SELECT t.term AS term FROM terms_${slot} t WHERE t.id IN (
         SELECT s.term FROM spelling_${slot} s WHERE s.variant IN (SELECT value FROM json_each(?))
       ) ORDER BY t.documents DESC, t.term LIMIT ?`,
      [JSON.stringify([...spellingVariants(word, tolerated)]), maxCompared],
    )
    .map(({ term }) => term)

const wordsBeginningWith = (db: SqliteDatabase, slot: Slot, beginnings: string[]): string[] =>
  db
    .all<{ term: string }>(
      `SELECT t.term AS term FROM json_each(?) b
       CROSS JOIN terms_${slot} t ON t.term >= b.value AND t.term < b.value || char(0x10ffff) LIMIT ?`,
      [JSON.stringify(beginnings), maxCompared],
    )
    .map(({ term }) => term)

/** The two words that, joined, are `word` and that are adjacent in the most documents. */
export function splitOf(db: SqliteDatabase, slot: Slot, word: string): [string, string] | null {
  const letters = [...word]
  const splits = letters
    .slice(1)
    .map((_, at): [string, string] => [letters.slice(0, at + 1).join(''), letters.slice(at + 1).join('')])
  const documents = new Map(
    db
      .all<{ term: string; documents: number }>(
        `SELECT term, documents FROM terms_${slot} WHERE term IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(splits.flat())],
      )
      .map((row) => [row.term, row.documents]),
  )
  let best: [string, string] | null = null
  let bestCount = 0
  for (const split of splits) {
    const [left, right] = split
    const atMost = Math.min(documents.get(left) ?? 0, documents.get(right) ?? 0)
    if (atMost > bestCount) {
      const row = db.get(`SELECT count(*) AS n FROM words_${slot} WHERE words_${slot} MATCH ?`, [
        `{${textColumns.join(' ')}} : ("${left}" + "${right}")`,
      ])
      const count = Number(row?.['n'])
      if (count > bestCount) {
        best = split
        bestCount = count
      }
    }
  }
  return best
}

/** Whether the index has a word, or one that begins with it. */
export const isKnown = (db: SqliteDatabase, slot: Slot, word: string, unfinished: boolean): boolean => {
  const [first] = db.all<{ term: string }>(`SELECT term FROM terms_${slot} WHERE term >= ? ORDER BY term LIMIT 1`, [
    word,
  ])
  return unfinished ? (first?.term.startsWith(word) ?? false) : first?.term === word
}

/** Meilisearch's threshold for prefixes that it indexes as words. */
const commonBeginning = { bytes: 4, words: 100 }

/** Whether as many words begin with the prefix as make Meilisearch index it as a word. */
export function isCommonBeginning(db: SqliteDatabase, slot: Slot, word: string): boolean {
  if (Buffer.byteLength(word) > commonBeginning.bytes) {
    return false
  }
  const row = db.get(`SELECT count(*) AS n FROM (SELECT 1 FROM terms_${slot} WHERE term >= ? AND term < ? LIMIT ?)`, [
    word,
    `${word}\u{10ffff}`,
    commonBeginning.words,
  ])
  return Number(row?.['n']) === commonBeginning.words
}
