import type { SqliteDatabase } from '../database.js'

/** Documents that a search reads first, the most starred ones; then up to the second number; then all. */
const defaultReadFirst = [100_000, 600_000]

/** Occurrences of words that a search reads at most after the first range: in some 200 ms. */
const maxOccurrences = 500_000

/** The last ranks of the ranges are found again when the number of documents has changed by more than this share. */
const tolerated = 0.1

/** The rank that is above all others. */
const lastRank = Number.MAX_SAFE_INTEGER

/** Ranges of ranks that are read one after the other until there are enough matches. */
export interface RankRanges {
  /** The last rank of each range, ascending. */
  ends: number[]
  /** Whether they contain all documents. */
  areAll: boolean
}

/**
 * The ranges that searches read in turn: full text yields matches by rank, and in a large catalog the most starred
 * documents have enough of them for most searches.
 */
export class RangesOfRanks {
  readonly #readFirst: number[]
  #found: { documents: number; ends: number[] } | null = null

  /** @param readFirst numbers of documents, ascending */
  constructor(readFirst: number[] = defaultReadFirst) {
    this.#readFirst = readFirst
  }

  /**
   * @param documents number of documents in the index
   * @param occurrences of the words of the search in all documents: of words that are too frequent not all are read
   */
  of(db: SqliteDatabase, documents: number, occurrences: number): RankRanges {
    const known = this.#found
    if (known === null || Math.abs(documents - known.documents) > tolerated * known.documents) {
      this.#found = { documents, ends: this.#endsIn(db, documents) }
    }
    const ends = [...(this.#found?.ends ?? []), lastRank]
    const read = ends.filter((end, at) => {
      const share = end === lastRank ? 1 : (this.#readFirst[at] ?? 0) / documents
      return at === 0 || share * occurrences <= maxOccurrences
    })
    return { ends: read, areAll: read.length === ends.length }
  }

  #endsIn(db: SqliteDatabase, documents: number): number[] {
    const ends: number[] = []
    let [end, before] = [-1, 0]
    for (const number of this.#readFirst.filter((each) => each < documents)) {
      const row = db.get<{ rank: number }>(`SELECT rank FROM texts WHERE rank > ? ORDER BY rank LIMIT 1 OFFSET ?`, [
        end,
        number - before - 1,
      ])
      if (row !== null) {
        ends.push(row.rank)
        end = row.rank
        before = number
      }
    }
    return ends
  }
}
