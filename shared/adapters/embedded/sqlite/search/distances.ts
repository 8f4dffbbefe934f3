/** The bytes of `distances.wat`, compiled. */
export const compiled =
  'AGFzbQEAAAABCgFgBn9/f39/fwACDwEDZW52Bm1lbW9yeQIAAQMCAQAHDQEJZGlzdGFuY2VzAAAKywEByAEDAn8BewF/AkADQCAJIANPDQH9DAAAAAAA' +
  'AAAAAAAAAAAAAAAhCEEAIQYDQCAIIAIgBmr9AAQAIAAgBmr9AAQA/VH9YiACIAZq/QAEECAAIAZq/QAEEP1R/WL9bv19/Y4BIQggBkEgaiEGIAYgAUkN' +
  'AAsgCP1/IQggCP0bACAI/RsBaiAI/RsCIAj9GwNqaiEHIAQgCUEBdGogBzsBACAFIAdBAnRqIQYgBiAGKAIAQQFqNgIAIAIgAWohAiAJQQFqIQkMAAsL' +
  'Cw=='

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

type DistancesTo = (code: number, bytes: number, codes: number, count: number, at: number, counts: number) => void

/** Room for so many codes of so many 32-bit words, and their distances from another code. */
export class CodeMemory {
  /** The codes, one after the other. */
  readonly codes: Int32Array
  /** In the order of the codes, in bits, after `measure`. */
  readonly distances: Uint16Array
  /** How often each distance occurs. */
  readonly counts: Uint32Array
  readonly #code: Int32Array
  readonly #distancesTo: DistancesTo

  constructor(places: number, words: number) {
    // Codes first: SIMD reads them fastest where they are aligned.
    const sizes = [places * words, words, words * 32 + 1, Math.ceil(places / 2)].map((size) => 4 * size)
    const [codesEnd = 0, codeEnd = 0, countsEnd = 0, end = 0] = sizes.map((_, at) =>
      sizes.slice(0, at + 1).reduce((sum, size) => sum + size, 0),
    )
    const memory = new WebAssembly.Memory({ initial: Math.max(1, Math.ceil(end / 65_536)) })
    this.codes = new Int32Array(memory.buffer, 0, places * words)
    this.#code = new Int32Array(memory.buffer, codesEnd, words)
    this.counts = new Uint32Array(memory.buffer, codeEnd, words * 32 + 1)
    this.distances = new Uint16Array(memory.buffer, countsEnd, places)
    const { exports } = new WebAssembly.Instance(module, { env: { memory } })
    this.#distancesTo = exports['distances'] as DistancesTo
  }

  /** Measures the distances of the first `count` codes from this one. */
  measure(code: Int32Array, count: number): void {
    this.#code.set(code)
    this.counts.fill(0)
    const { byteOffset, byteLength } = this.#code
    const [distances, counts] = [this.distances.byteOffset, this.counts.byteOffset]
    this.#distancesTo(byteOffset, byteLength, this.codes.byteOffset, count, distances, counts)
  }
}
