import type { Vector } from '../../../../ports/embedder.js'
import { operatorError } from '../../../../runtime/errors.js'
import type { SqliteDatabase } from '../database.js'
import { codesPerRow, dimensionsOf, noRank, wordsPerCode, writeCode } from './vector-codes.js'

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

/** A vector as the tables take it. */
export interface PreparedVector {
  textHash: number
  bytes: Int8Array
  /** See `writeCode`. */
  code: Int32Array
}

/** @param textHash equal for texts with the same vector */
export function prepareVector(textHash: number, vector: Vector): PreparedVector {
  const code = new Int32Array(wordsPerCode(vector.length))
  writeCode(vector, code)
  return { textHash, bytes: toBytes(vector), code }
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

interface CodesRow {
  ranks: Float64Array
  codes: Int32Array
  free: number
}

/** Changes the vectors of an index over a batch, so that each row of codes is written once. */
export class VectorWrites {
  readonly #db: SqliteDatabase
  readonly #rows = new Map<number, CodesRow>()
  /** The length of the index's vectors; null: it has none yet. */
  #dimensions: number | null

  constructor(db: SqliteDatabase) {
    this.#db = db
    this.#dimensions = dimensionsOf(db)
  }

  remove(rank: number): void {
    const place = this.#db.value<number>(`SELECT place FROM vectors WHERE rank = ?`, [rank])
    if (place === null) {
      return
    }
    this.#db.run(`DELETE FROM vectors WHERE rank = ?`, [rank])
    const codes = this.#row(Math.floor(place / codesPerRow))
    codes.ranks[place % codesPerRow] = noRank
    codes.free += 1
  }

  /** @throws AppError `embedder_changed` when the vector has another length than the others */
  insert(rank: number, { textHash, bytes, code }: PreparedVector): void {
    this.#dimensions ??= bytes.length
    if (bytes.length !== this.#dimensions) {
      throw operatorError(
        'embedder_changed',
        `The embedder answers with vectors of ${bytes.length} dimensions, and the index has such of ` +
          `${this.#dimensions}: its model was changed under the same name. Set EMBEDDER_MODEL to another name, or run ` +
          'npm run catalog -- rebuild.',
      )
    }
    const number = this.#numberWithFree()
    const row = this.#row(number)
    const at = row.ranks.indexOf(noRank)
    row.ranks[at] = rank
    row.free -= 1
    row.codes.set(code, at * code.length)
    this.#db.run(`INSERT INTO vectors VALUES (?, ?, ?, ?)`, [
      rank,
      number * codesPerRow + at,
      textHash,
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    ])
  }

  write(): void {
    if (this.#rows.size === 0) {
      return
    }
    const version = (this.#db.value<number>(`SELECT max(version) FROM codes`) ?? 0) + 1
    for (const [number, { ranks, codes, free }] of this.#rows) {
      this.#db.run(`INSERT OR REPLACE INTO codes VALUES (?, ?, ?, ?, ?)`, [
        number,
        version,
        free,
        Buffer.from(ranks.buffer),
        Buffer.from(codes.buffer),
      ])
    }
  }

  /** The number of a row with a free place: one that is being changed, a kept one, or a new one. */
  #numberWithFree(): number {
    for (const [number, { free }] of [...this.#rows].slice(-1)) {
      if (free > 0) {
        return number
      }
    }
    const kept = this.#db
      .column<number>(`SELECT number FROM codes WHERE free > 0 ORDER BY number LIMIT ?`, [this.#rows.size + 1])
      .find((number) => (this.#rows.get(number)?.free ?? 1) > 0)
    const last = this.#db.value<number>(`SELECT max(number) FROM codes`) ?? -1
    return kept ?? Math.max(last, ...this.#rows.keys()) + 1
  }

  #row(number: number): CodesRow {
    const known = this.#rows.get(number)
    if (known !== undefined) {
      return known
    }
    const kept = this.#db.get<{ ranks: ArrayBuffer; codes: ArrayBuffer; free: number }>(
      `SELECT ranks, codes, free FROM codes WHERE number = ?`,
      [number],
    )
    const words = codesPerRow * wordsPerCode(this.#dimensions ?? 0)
    const row =
      kept === null || kept.codes.byteLength !== 4 * words
        ? {
            ranks: new Float64Array(codesPerRow).fill(noRank),
            codes: new Int32Array(words),
            free: codesPerRow,
          }
        : { ranks: new Float64Array(kept.ranks), codes: new Int32Array(kept.codes), free: kept.free }
    this.#rows.set(number, row)
    return row
  }
}
