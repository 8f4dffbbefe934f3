import { hashText } from './random.js'

/** A Bloom filter of names, with two bytes per name: no false negatives, some false positives. */
export class NameSet {
  readonly #bits: Uint32Array
  readonly #mask: number

  /** @param expected approximate number of names */
  constructor(expected: number) {
    const words = 2 ** Math.ceil(Math.log2(Math.max(expected, 1) / 2 + 32))
    this.#bits = new Uint32Array(words)
    this.#mask = words * 32 - 1
  }

  /** @returns whether the name may have been added before */
  add(name: string): boolean {
    const first = hashText(name)
    const second = Math.imul(first ^ (first >>> 16), 0x45d9f3b) >>> 0
    const known = this.#set(first) && this.#set(second)
    if (!known) {
      this.#set(second)
    }
    return known
  }

  #set(hash: number): boolean {
    const bit = hash & this.#mask
    const word = bit >>> 5
    const before = this.#bits[word] ?? 0
    this.#bits[word] = before | (1 << (bit & 31))
    return (before & (1 << (bit & 31))) !== 0
  }
}
