import type { SqliteDatabase } from '../database.js'
import { CodeMemory } from './near-codes.js'
import { codesPerRow, noRank, wordsPerCode, writeCode } from './vector-tables.js'

/** Room for codes that are added, so that not each of them copies the others. */
const spare = 1.125

/** Rows that are read at a time: some 5 MB. */
const rowsPerRead = 1_000

/** Above the number of any row. */
const lastNumber = Number.MAX_SAFE_INTEGER

const noRanks = new Float64Array(codesPerRow).fill(noRank)

/**
 * The codes of an index's vectors, in memory: of two million the nearest are found in some four milliseconds, exactly and
 * without an index to build. Two codes differ in the fewer bits, the smaller the angle between their vectors.
 */
export class VectorCodes {
  #version = 0
  /** Words of a code. */
  #words = 0
  /** Places in use: all below. */
  #places = 0
  #ranks = new Float64Array(0)
  #memory = new CodeMemory(0, 0)

  /** Reads what has changed since the last call. Must run inside the search's transaction. */
  update(db: SqliteDatabase, dimensions: number): void {
    if (this.#words !== wordsPerCode(dimensions)) {
      this.#version = 0
      this.#places = 0
      this.#words = wordsPerCode(dimensions)
      this.#ranks = new Float64Array(0)
      this.#memory = new CodeMemory(0, this.#words)
    }
    const last = db.get<{ version: number | null }>(`SELECT max(version) AS version FROM codes`)?.version ?? 0
    if (last === this.#version) {
      return
    }
    const end = db.get<{ number: number | null }>(`SELECT max(number) AS number FROM codes`)?.number ?? -1
    this.#reserve((end + 1) * codesPerRow)
    for (let [version, number] = [this.#version, lastNumber]; ; ) {
      const rows = db.all<{ version: number; number: number; ranks: ArrayBuffer; codes: ArrayBuffer }>(
        `SELECT version, number, ranks, codes FROM codes
         WHERE (version, number) > (?, ?) ORDER BY version, number LIMIT ${rowsPerRead}`,
        [version, number],
      )
      for (const row of rows) {
        this.#put(row)
        version = row.version
        number = row.number
      }
      if (rows.length < rowsPerRead) {
        break
      }
    }
    this.#version = last
  }

  /**
   * The ranks of the vectors that are probably the nearest, at most `count`, the nearest codes first.
   *
   * @param wanted only these ranks; null: all
   */
  nearest(vector: ArrayLike<number>, count: number, wanted: ReadonlySet<number> | null): number[] {
    if (this.#places === 0) {
      return []
    }
    const code = new Int32Array(this.#words)
    writeCode(vector, code, 0)
    const isWanted = (place: number) => {
      const rank = this.#ranks[place] as number
      return rank !== noRank && (wanted === null || wanted.has(rank))
    }
    return this.#memory.nearest(code, this.#places, count, isWanted).map(({ place }) => this.#ranks[place] as number)
  }

  #put(row: { number: number; ranks: ArrayBuffer; codes: ArrayBuffer }): void {
    const words = new Int32Array(row.codes)
    const first = row.number * codesPerRow
    // Codes of another length are left of vectors that were all removed.
    const ranks = words.length === codesPerRow * this.#words ? new Float64Array(row.ranks) : noRanks
    this.#ranks.set(ranks, first)
    this.#memory.codes.set(words.subarray(0, codesPerRow * this.#words), first * this.#words)
  }

  #reserve(places: number): void {
    if (places > this.#ranks.length) {
      const size = Math.ceil(places * spare)
      const ranks = new Float64Array(size)
      ranks.set(this.#ranks)
      const memory = new CodeMemory(size, this.#words)
      memory.codes.set(this.#memory.codes.subarray(0, this.#places * this.#words))
      this.#ranks = ranks
      this.#memory = memory
    }
    this.#places = places
  }
}
