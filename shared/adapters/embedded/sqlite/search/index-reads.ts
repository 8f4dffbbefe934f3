import { hash } from 'node:crypto'
import type { Vector } from '../../../../ports/embedder.js'
import type { SearchQuery } from '../../../../ports/search-index.js'
import type { Concept, ReadQuery, Vocabulary } from '../../../../ranking/concepts.js'
import { queryTypos, spellingVariants, toleratedTypos } from '../../../../ranking/other-words.js'
import { searchSettings } from '../../../../search-settings.js'
import { stemOf } from '../../../../text/analyze.js'
import type { SqliteDatabase, SqlValue } from '../database.js'
import { isNarrowed, type Narrowing, narrowed, tag } from '../filters.js'
import type { VectorCodes } from './vector-codes.js'

/** The documents `d` with the rows `s` of their skills. */
export const documentsWithSkills = 'documents d CROSS JOIN catalog.skills s ON s.rowid = d.skill'

/** 48 bits of a text key: among 2 million keys, a given query collides with a chance of 1 in 10^8. */
export const keyHash = (key: string): number => Number.parseInt(hash('sha1', key).slice(0, 12), 16)

/** Ranges of ranks that are read one after the other until there are enough matches. */
export interface RankRanges {
  /** The last rank of each range, ascending. */
  ends: number[]
  /** Whether they contain all documents. */
  areAll: boolean
}

/** A vector, with the codes of those that it is compared with. */
export interface Meaning {
  vector: Vector
  codes: VectorCodes
}

/** A search prepared for the tables of an index. */
export interface PreparedSearch {
  db: SqliteDatabase
  query: Omit<SearchQuery, 'text' | 'meaning'>
  vocabulary: SqliteVocabulary
  read: ReadQuery
  /** Null: the meaning does not count. */
  meaning: Meaning | null
  /** Words in a row that the fields of each skill have; of one that is found by its text, that may have all of them instead. */
  phrases: string[][]
  /** Words in a row that no fields have. */
  excluded: string[][]
  /** The filters and `excluded`, for statements on full text. */
  narrowing: Narrowing
  /** See `listMeeting`; null too where there are no conditions on rows. */
  meeting: ReadonlySet<number> | null
  ranges: RankRanges
}

/**
 * The ranks of the full-text table `w` that match an expression, in order, joined with the skills `s` where a condition
 * needs their rows.
 */
function readMatching(
  { db, narrowing }: Pick<PreparedSearch, 'db' | 'narrowing'>,
  expression: string | null,
  tail: string,
  values: SqlValue[],
): number[] {
  const { ranks, rows } = narrowing
  // CROSS fixes the join order: full text first, then each document by its rank.
  const join = rows.length > 0 ? `CROSS JOIN ${documentsWithSkills} AND d.rank = w.rowid` : ''
  const conditions = [...ranks, ...rows]
  const where = ['', ...conditions.map(({ sql }) => sql)].join(' AND ')
  return readRanks(db, `SELECT w.rowid AS rank FROM words w ${join} WHERE words MATCH ?${where} ${tail}`, [
    narrowed(expression, narrowing),
    ...conditions.flatMap((condition) => condition.values),
    ...values,
  ])
}

/** All matches of an expression, by rank: those that meet the conditions, or all but those on rows where `meeting` is null. */
export function allRanks(search: PreparedSearch, expression: string | null): number[] {
  const { meeting } = search
  const narrowing = { ...search.narrowing, rows: [] }
  if (meeting !== null && expression === null && !isNarrowed(narrowing)) {
    return [...meeting].sort((a, b) => a - b)
  }
  if (meeting?.size === 0) {
    return []
  }
  const ranks = readMatching({ ...search, narrowing }, expression, 'ORDER BY w.rowid', [])
  return meeting === null ? ranks : ranks.filter((rank) => meeting.has(rank))
}

/** The ranks that a statement selects, in its order. As one text: a row for each would take three times as long. */
export function readRanks(db: SqliteDatabase, sql: string, values: SqlValue[]): number[] {
  return ranksIn(db.value<string>(`SELECT group_concat(rank) FROM (${sql})`, values) ?? '')
}

/** Ranks from a text in which commas divide them. As JSON: to split it takes twice as long. */
export const ranksIn = (text: string): number[] => JSON.parse(`[${text}]`)

/** Ranks as a list in JSON, in half the time of `JSON.stringify`. */
export const listOf = (ranks: readonly number[]): string => `[${ranks}]`

/** What a statement selects as `key` and `value`, in its order, without values that are null. As one text, see above. */
export function readPairs<Key extends string | number, Value extends string | number>(
  db: SqliteDatabase,
  sql: string,
  values: SqlValue[],
): Map<Key, Value> {
  const pairs = db.value<string>(
    `SELECT json_group_array(json_array(key, value)) FROM (${sql}) WHERE value IS NOT NULL`,
    values,
  )
  return new Map(JSON.parse(pairs ?? '[]') as [Key, Value][])
}

/** The values of a column, of the documents that have one, by rank. */
export const columnOf = <Value extends string | number>(
  db: SqliteDatabase,
  table: 'copies' | 'texts',
  column: 'copy_key' | 'words' | 'stems' | 'sketch',
  ranks: readonly number[],
): Map<number, Value> =>
  readPairs(
    db,
    // CROSS: each rank is looked up.
    `SELECT t.rank AS key, ${column} AS value FROM json_each(?) m CROSS JOIN ${table} t ON t.rank = m.value`,
    [listOf(ranks)],
  )

/** Which of some documents are no copies of ones before, in this call or in an earlier one. */
export function otherThanCopies(db: SqliteDatabase): (ranks: readonly number[]) => number[] {
  const known = new Set<number>()
  return (ranks) => {
    const keys = columnOf<number>(db, 'copies', 'copy_key', ranks)
    return ranks.filter((rank) => {
      const key = keys.get(rank)
      return key === undefined || known.size < known.add(key).size
    })
  }
}

/** The words of documents, by rank; see `wordLines`. */
export const wordLinesOf = (db: SqliteDatabase, ranks: readonly number[]): Map<number, string> =>
  columnOf(db, 'texts', 'words', ranks)

/** The first matches of an expression. */
export interface Ranks {
  ranks: number[]
  /** Whether documents with higher ranks, which were not read, may match as well. */
  areMore: boolean
}

/**
 * Matches for which no further range is read: those that are weighed, and a page, of which folding may leave half.
 * Facets count all that are reached.
 */
const enoughRanks = ({ query: { offset, limit, facets, fold } }: PreparedSearch): number =>
  facets.length > 0
    ? Number.POSITIVE_INFINITY
    : Math.max(searchSettings.maxWeighed, (offset + limit) * (fold ? 2 : 1)) + 1

/**
 * The first matches of an expression, by rank.
 *
 * @param expression null: of the conditions alone
 * @param enough matches for which no further range is read
 */
export function ranksOf(
  search: PreparedSearch,
  expression: string | null,
  limit: number,
  enough = Math.min(limit, enoughRanks(search)),
): Ranks {
  if (search.meeting !== null) {
    const all = allRanks(search, expression)
    return { ranks: all.slice(0, limit), areMore: all.length >= limit }
  }
  const { ends, areAll } = search.ranges
  const ranks: number[] = []
  let read = 0
  while (read < ends.length && ranks.length < enough) {
    ranks.push(
      ...readMatching(
        search,
        expression,
        'AND w.rowid > ? AND w.rowid <= ? ORDER BY w.rowid LIMIT ?',
        // FTS5 stops at the end of a range only where it is an integer: numbers are bound as floating-point ones.
        [BigInt(ends[read - 1] ?? -1), BigInt(ends[read] ?? -1), limit - ranks.length],
      ),
    )
    read += 1
  }
  return { ranks, areMore: !areAll || read < ends.length || ranks.length === limit }
}

/** Words in a row. */
export const phrase = (tokens: readonly string[]): string => tokens.map((token) => `"${token}"`).join(' + ')

/** The expression for any of the alternatives of a concept, in any column. */
function anyOf({ alternatives, isPrefix, completions, tokens }: Concept): string {
  const words = isPrefix && completions !== null ? completions.map((word) => [word]) : []
  const texts = new Set([...alternatives.map((each) => each.tokens), ...words].map(phrase))
  return `(${[...texts, ...(isPrefix && completions === null ? [`${phrase(tokens)} *`] : [])].join(' OR ')})`
}

/** The expression for all of these concepts. */
export const allOf = (concepts: readonly Concept[]): string => concepts.map(anyOf).join(' AND ')

/** Words of the map that are compared with a misspelled one. */
const maxCompared = 500

/** Documents with words of one beginning: FTS5 merges the lists of so many in a millisecond or two. */
const maxMerged = 20_000

/** The most frequent words that are searched in place of a beginning of more documents. */
const maxCompletions = 24

/** The words of an index's documents. */
export class SqliteVocabulary implements Vocabulary {
  readonly #db: SqliteDatabase
  #documents: number | undefined

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  /** Robertson and Spärck Jones' inverse document frequency, as BM25 has it. */
  rarity(documents: number): number {
    return Math.log(1 + (Math.max(0, this.documents - documents) + 0.5) / (documents + 0.5))
  }

  count(words: string[]): Map<string, number> {
    return readPairs(
      this.#db,
      `SELECT term AS key, documents AS value FROM terms WHERE term IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(words)],
    )
  }

  /** The documents of all of these words, one with two of them counted twice. */
  occurrences(words: string[]): number {
    return [...this.count(words).values()].reduce((sum, documents) => sum + documents, 0)
  }

  withStems(stems: string[]): Map<string, string[]> {
    const words = new Map<string, string[]>()
    const asked = JSON.stringify(stems)
    const terms = this.#db.column<string>(
      `SELECT term, documents FROM terms WHERE stem IN (SELECT value FROM json_each(?1))
       UNION ALL
       SELECT term, documents FROM terms WHERE term IN (SELECT value FROM json_each(?1)) AND stem IS NULL
       ORDER BY documents DESC LIMIT ?2`,
      [asked, stems.length * searchSettings.maxForms * 4],
    )
    for (const term of terms) {
      const stem = stemOf(term)
      words.set(stem, [...(words.get(stem) ?? []), term])
    }
    return words
  }

  hasBeginning(prefix: string): boolean {
    const first = this.#db.value<string>(`SELECT term FROM terms WHERE term >= ? ORDER BY term LIMIT 1`, [prefix])
    return first?.startsWith(prefix) ?? false
  }

  completions(prefix: string): string[] | null {
    const rows = this.#db.all<{ term: string; occurrences: number }>(
      `SELECT term, sum(documents) OVER () AS occurrences FROM terms WHERE term >= ? AND term < ?
       ORDER BY documents DESC LIMIT ?`,
      [prefix, `${prefix}\u{10ffff}`, maxCompletions],
    )
    return (rows[0]?.occurrences ?? 0) <= maxMerged ? null : rows.map(({ term }) => term)
  }

  /** The number of documents. */
  get documents(): number {
    this.#documents ??= this.count([tag('all')]).get(tag('all')) ?? 0
    return this.#documents
  }

  similar(word: string): string[] {
    const tolerated = toleratedTypos(word)
    if (tolerated === 0) {
      return []
    }
    const near = this.#db
      .all<{ term: string; documents: number }>(
        `SELECT t.term AS term, t.documents AS documents FROM terms t WHERE t.id IN (
           SELECT s.term FROM spelling s WHERE s.variant IN (SELECT value FROM json_each(?))
         ) ORDER BY t.documents DESC, t.term LIMIT ?`,
        [JSON.stringify([...spellingVariants(word, tolerated)]), maxCompared],
      )
      .map(({ term, documents }) => ({ term, documents, typos: queryTypos(word, term, tolerated) }))
      .filter(({ typos }) => typos <= tolerated)
    const fewest = Math.min(...near.map(({ typos }) => typos))
    return near.filter(({ typos }) => typos === fewest).map(({ term }) => term)
  }

  hasText(stems: string[], others: string[]): boolean {
    const [all, any] = [stems, others].map((list) => list.map((stem) => phrase([stem])))
    const expression = `(${all?.join(' AND ')}) NOT (${any?.join(' OR ')})`
    return this.#db.get(`SELECT rowid FROM bodies WHERE bodies MATCH ? LIMIT 1`, [expression]) !== null
  }
}
