import { forgivenTypos, mapFindsBeginnings, oneTypoVariants, spellingVariants, typosAs } from '../../text/spelling.js'
import type { SqliteDatabase } from './sqlite-database.js'
import { type Slot, textColumns } from './sqlite-index-tables.js'

/** Words of the index that a word of a query may stand for by mistake. */
export interface Corrections {
  one: string[]
  two: string[]
}

/** As many words as Meilisearch looks at, and the same ones: the first of the alphabet. */
const maxCorrections = { one: 150, two: 50 }

/** At most this many words of the map are compared with a query's word. */
const maxCompared = 2_000

/**
 * The words of the index that a word stands for with one and with two typos.
 *
 * @param unfinished whether it may be the beginning of a word
 * @param fewer how many typos less than others it forgives
 */
export function correctionsOf(
  db: SqliteDatabase,
  slot: Slot,
  word: string,
  { unfinished, fewer }: { unfinished: boolean; fewer: number },
): Corrections {
  const forgiven = forgivenTypos(word) - fewer
  if (forgiven !== 1 && forgiven !== 2) {
    return { one: [], two: [] }
  }
  const near = new Set(similarWords(db, slot, word, forgiven))
  if (unfinished && !mapFindsBeginnings(word)) {
    for (const term of wordsBeginningWith(db, slot, [...oneTypoVariants(word)])) {
      near.add(term)
    }
  }
  const corrections: Corrections = { one: [], two: [] }
  for (const term of [...near].sort(byteOrder)) {
    const typos = term === word || (unfinished && term.startsWith(word)) ? 0 : typosAs(word, term, unfinished, forgiven)
    if (typos === 1 && corrections.one.length < maxCorrections.one) {
      corrections.one.push(term)
    } else if (typos === 2 && forgiven === 2 && corrections.two.length < maxCorrections.two) {
      corrections.two.push(term)
    }
  }
  return corrections
}

const byteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const similarWords = (db: SqliteDatabase, slot: Slot, word: string, forgiven: 1 | 2): string[] =>
  db
    .all<{ term: string }>(
      `SELECT t.term AS term FROM terms_${slot} t WHERE t.id IN (
         SELECT s.term FROM spelling_${slot} s WHERE s.variant IN (SELECT value FROM json_each(?))
       ) ORDER BY t.documents DESC, t.term LIMIT ?`,
      [JSON.stringify([...spellingVariants(word, forgiven)]), maxCompared],
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

/** Two words that stand next to each other in more documents than any others that are written together as `word`. */
export function splitOf(db: SqliteDatabase, slot: Slot, word: string): [string, string] | null {
  const letters = [...word]
  const cuts = letters
    .slice(1)
    .map((_, at): [string, string] => [letters.slice(0, at + 1).join(''), letters.slice(at + 1).join('')])
  const documents = new Map(
    db
      .all<{ term: string; documents: number }>(
        `SELECT term, documents FROM terms_${slot} WHERE term IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(cuts.flat())],
      )
      .map((row) => [row.term, row.documents]),
  )
  let best: [string, string] | null = null
  let together = 0
  for (const cut of cuts) {
    const [left, right] = cut
    const most = Math.min(documents.get(left) ?? 0, documents.get(right) ?? 0)
    if (most > together) {
      const row = db.get(`SELECT count(*) AS n FROM words_${slot} WHERE words_${slot} MATCH ?`, [
        `{${textColumns.join(' ')}} : ("${left}" + "${right}")`,
      ])
      const count = Number(row?.['n'])
      if (count > together) {
        best = cut
        together = count
      }
    }
  }
  return best
}

/** Whether the index holds a word, or one that begins so. */
export const isKnown = (db: SqliteDatabase, slot: Slot, word: string, unfinished: boolean): boolean => {
  const [first] = db.all<{ term: string }>(`SELECT term FROM terms_${slot} WHERE term >= ? ORDER BY term LIMIT 1`, [
    word,
  ])
  return unfinished ? (first?.term.startsWith(word) ?? false) : first?.term === word
}

/** Meilisearch's measure of a common beginning. */
const commonBeginning = { bytes: 4, words: 100 }

/** Whether so many words begin so that Meilisearch keeps the beginning as if it were a word. */
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
