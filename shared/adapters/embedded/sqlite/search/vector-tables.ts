import type { SqliteDatabase } from '../database.js'

/** Codes in a row: those of 256 dimensions fill a page of the file. All are read fast, and a changed one rewrites little. */
export const codesPerRow = 96

/** The rank of a place without a skill. */
export const noRank = -1

/**
 * Creates the tables of an index's vectors.
 *
 * A vector is kept as 8-bit integers under the rank of its document. Its code has one bit for each dimension, whether it
 * is positive: the codes of all documents are searched in memory, see `VectorCodes`, so they are in rows of many. A
 * vector's place says where: the row is `place / codesPerRow`.
 */
export function createVectorTables(db: SqliteDatabase): void {
  db.exec(`
    CREATE TABLE vectors (
      rank INTEGER PRIMARY KEY, place INTEGER NOT NULL, text_hash INTEGER NOT NULL, vector BLOB NOT NULL
    );
    -- ranks: 64-bit floats, -1 where a place is free. Every write has a higher version than those before.
    CREATE TABLE codes (
      number INTEGER PRIMARY KEY, version INTEGER NOT NULL, free INTEGER NOT NULL, ranks BLOB NOT NULL, codes BLOB NOT NULL
    );
    CREATE INDEX codes_by_version ON codes (version);
    CREATE INDEX codes_free ON codes (number) WHERE free > 0;
  `)
}

/** The length of an index's vectors; null: it has none. */
export const dimensionsOf = (db: SqliteDatabase): number | null =>
  db.get<{ bytes: number }>(`SELECT length(vector) AS bytes FROM vectors LIMIT 1`)?.bytes ?? null

/** A code is a whole number of blocks of so many 32-bit words. */
const wordsPerBlock = 8

/** The 32-bit words of a code for vectors of this length. */
export const wordsPerCode = (dimensions: number): number => wordsPerBlock * Math.ceil(dimensions / 32 / wordsPerBlock)

/** Writes the code of a vector: a bit for each dimension. */
export function writeCode(vector: ArrayLike<number>, codes: Int32Array, start = 0): void {
  for (let word = 0; word < wordsPerCode(vector.length); word += 1) {
    let bits = 0
    for (let bit = 0; bit < 32; bit += 1) {
      bits |= (vector[word * 32 + bit] ?? 0) > 0 ? 1 << bit : 0
    }
    codes[start + word] = bits
  }
}

/** The vector as 8-bit integers, of which the largest is 127. */
export function toBytes(vector: Float32Array): Int8Array {
  const bytes = new Int8Array(vector.length)
  let largest = 0
  for (const value of vector) {
    largest = Math.max(largest, Math.abs(value))
  }
  for (let at = 0; at < vector.length && largest > 0; at += 1) {
    bytes[at] = Math.round(((vector[at] as number) / largest) * 127)
  }
  return bytes
}
