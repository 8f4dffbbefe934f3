import { hash } from 'node:crypto'

/**
 * A set of any number of ids of any length that takes 16 to 32 bytes for each: it keeps 64 bits of a hash of an id.
 * Among two million ids it mistakes one for another in about one of five million runs: that must do no harm.
 */
export class IdSet {
  /** Open addressing with linear probing, at most half full; 0 is an empty slot. */
  #slots = new BigUint64Array(1_024)
  #size = 0

  /** The number of ids. */
  get size(): number {
    return this.#size
  }

  add(id: string): void {
    const key = keyOf(id)
    const slot = this.#slotOf(key)
    if (this.#slots[slot] === 0n) {
      this.#slots[slot] = key
      this.#size += 1
      this.#growWhenHalfFull()
    }
  }

  has(id: string): boolean {
    return this.#slots[this.#slotOf(keyOf(id))] !== 0n
  }

  /** The slot of this key, or the empty one to add it. */
  #slotOf(key: bigint): number {
    const mask = this.#slots.length - 1
    let slot = Number(key & BigInt(mask))
    while (this.#slots[slot] !== 0n && this.#slots[slot] !== key) {
      slot = (slot + 1) & mask
    }
    return slot
  }

  #growWhenHalfFull(): void {
    if (this.#size * 2 > this.#slots.length) {
      const keys = this.#slots
      this.#slots = new BigUint64Array(keys.length * 2)
      for (const key of keys) {
        if (key !== 0n) {
          this.#slots[this.#slotOf(key)] = key
        }
      }
    }
  }
}

function keyOf(id: string): bigint {
  const key = BigInt(`0x${hash('sha1', id).slice(0, 16)}`)
  return key === 0n ? 1n : key
}
