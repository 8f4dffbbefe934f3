import type { SqliteDatabase } from '../database.js'

/** Codes in a row: those of 256 dimensions fill a page of the file. All are read fast, and a changed one rewrites little. */
export const codesPerRow = 96

/** The rank of a place without a skill. */
export const noRank = -1

/** The length of an index's vectors; null: it has none. */
export const dimensionsOf = (db: SqliteDatabase): number | null =>
  db.value(`SELECT length(vector) FROM vectors LIMIT 1`)

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

/** The bytes of `near-codes.wat`, compiled. */
export const compiled =
  'AGFzbQEAAAABCwFgBn9/f39/fwF/Ag8BA2VudgZtZW1vcnkCAAEDAgEABwoBBm5lYXJlcgAACssBAcgBBAJ/AX4BfwR+IAUhCSAAKQMAIQogACkDCCELIA' +
  'ApAxAhDCAAKQMYIQ0CQANAIAYgA08NASACKQMAIAqFeyACKQMIIAuFe3wgAikDECAMhXsgAikDGCANhXt8fCEIQSAhBwJAA0AgByABTw0BIAggAiAHaikD' +
  'ACAAIAdqKQMAhXt8IQggB0EIaiEHDAALCyAIpyAESQRAIAUgBjYCACAFIAinNgIEIAVBCGohBQsgAiABaiECIAZBAWohBgwACwsgBSAJa0EDdgs='

/** The part of https://webassembly.github.io/spec/js-api/ that is used here: TypeScript declares it for browsers only. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Memory {
    readonly buffer: ArrayBuffer
    /** @param descriptor.initial pages of 64 KiB */
    constructor(descriptor: { initial: number })
  }
  class Instance {
    readonly exports: Record<string, unknown>
    constructor(module: Module, imports: { env: { memory: Memory } })
  }
}

const module = new WebAssembly.Module(Buffer.from(compiled, 'base64'))

type Nearer = (code: number, bytes: number, codes: number, count: number, limit: number, found: number) => number

/** Codes that are compared by one call: their places, and so the pairs that it may find, have room. */
const perCall = 16_384

interface FoundCode {
  place: number
  /** Bits in which it differs. */
  distance: number
}

/** Room for so many codes of so many 32-bit words. */
export class CodeMemory {
  /** The codes, one after the other. */
  readonly codes: Int32Array
  readonly #code: Int32Array
  /** Pairs of a place and a distance. */
  readonly #found: Int32Array
  readonly #nearer: Nearer

  constructor(places: number, words: number) {
    const [codesEnd, codeEnd] = [4 * places * words, 4 * (places + 1) * words]
    const memory = new WebAssembly.Memory({ initial: Math.ceil((codeEnd + 8 * perCall) / 65_536) })
    this.codes = new Int32Array(memory.buffer, 0, places * words)
    this.#code = new Int32Array(memory.buffer, codesEnd, words)
    this.#found = new Int32Array(memory.buffer, codeEnd, 2 * perCall)
    const { exports } = new WebAssembly.Instance(module, { env: { memory } })
    this.#nearer = exports['nearer'] as Nearer
  }

  /**
   * The codes at the first places that differ least from this one, the nearest first.
   *
   * @param places the number of codes that are compared
   * @param count at most
   * @param isWanted whether the code of a place counts
   */
  nearest(code: Int32Array, places: number, count: number, isWanted: (place: number) => boolean): FoundCode[] {
    this.#code.set(code)
    const { byteOffset, byteLength } = this.#code
    const bits = 32 * code.length
    const best: FoundCode[] = []
    // How many were found at each distance, and below the limit: codes at that distance or farther are not the nearest.
    const counts = new Uint32Array(bits + 1)
    let [limit, below] = [count === 0 ? 0 : bits + 1, 0]
    for (let first = 0; first < places; first += perCall) {
      const here = Math.min(perCall, places - first)
      const codes = this.codes.byteOffset + first * byteLength
      const found = this.#nearer(byteOffset, byteLength, codes, here, limit, this.#found.byteOffset)
      for (let at = 0; at < found; at += 1) {
        const place = first + (this.#found[2 * at] as number)
        const distance = this.#found[2 * at + 1] as number
        if (distance < limit && isWanted(place)) {
          best.push({ place, distance })
          counts[distance] = (counts[distance] as number) + 1
          below += 1
          // Once enough are as near as the last one, only nearer ones are better.
          while (below >= count) {
            limit -= 1
            below -= counts[limit] as number
          }
        }
      }
    }
    return best.sort((a, b) => a.distance - b.distance).slice(0, count)
  }
}

/** Room for codes that are added: without any left, all are read again. */
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
    const words = wordsPerCode(dimensions)
    const last = db.value<number>(`SELECT max(version) FROM codes`) ?? 0
    if (last === this.#version && words === this.#words) {
      return
    }
    const end = db.value<number>(`SELECT max(number) FROM codes`) ?? -1
    this.#places = (end + 1) * codesPerRow
    if (words !== this.#words || this.#places > this.#ranks.length) {
      const size = Math.ceil(this.#places * spare)
      this.#version = 0
      this.#words = words
      this.#ranks = new Float64Array(size)
      this.#memory = new CodeMemory(size, words)
    }
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
    // Codes of another length remain where all their vectors were removed.
    const ranks = words.length === codesPerRow * this.#words ? new Float64Array(row.ranks) : noRanks
    this.#ranks.set(ranks, first)
    this.#memory.codes.set(words.subarray(0, codesPerRow * this.#words), first * this.#words)
  }
}
