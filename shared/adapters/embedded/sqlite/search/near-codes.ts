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

/** A code that was found. */
export interface FoundCode {
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
    const best = new Nearest(count, 32 * code.length)
    for (let first = 0; first < places; first += perCall) {
      const { byteOffset, byteLength } = this.#code
      const here = Math.min(perCall, places - first)
      const codes = this.codes.byteOffset + first * byteLength
      const found = this.#nearer(byteOffset, byteLength, codes, here, best.limit, this.#found.byteOffset)
      for (let at = 0; at < found; at += 1) {
        const place = first + (this.#found[2 * at] as number)
        const distance = this.#found[2 * at + 1] as number
        if (distance < best.limit && isWanted(place)) {
          best.add(place, distance)
        }
      }
    }
    return best.all()
  }
}

/** The nearest codes so far. */
class Nearest {
  /** Codes at this distance or farther are not among the nearest. */
  limit: number
  readonly #count: number
  readonly #found: FoundCode[] = []
  /** How many were found at each distance. */
  readonly #counts: Uint32Array
  /** How many were found below the limit. */
  #below = 0

  /** @param bits of a code */
  constructor(count: number, bits: number) {
    this.#count = count
    this.limit = count === 0 ? 0 : bits + 1
    this.#counts = new Uint32Array(bits + 1)
  }

  add(place: number, distance: number): void {
    this.#found.push({ place, distance })
    this.#counts[distance] = (this.#counts[distance] as number) + 1
    this.#below += 1
    // Once enough are as near as the last one, only nearer ones are better.
    while (this.#below >= this.#count) {
      this.limit -= 1
      this.#below -= this.#counts[this.limit] as number
    }
  }

  all(): FoundCode[] {
    return this.#found.sort((a, b) => a.distance - b.distance).slice(0, this.#count)
  }
}
