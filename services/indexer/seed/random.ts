/** A source of numbers that are the same for the same seed, on every machine (mulberry32). */
export class Random {
  #state: number

  /**
   * @param seed any whole number
   * @param stream tells apart sequences of one seed
   */
  constructor(seed: number, stream: string) {
    this.#state = hashText(`${stream}:${seed}`)
  }

  /** 0 to just under 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  /** True as often as told: 0.05 is five in a hundred. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** A number from 0 up of which few are large: Pareto, minus 1. A smaller `alpha` makes larger ones. */
  pareto(alpha: number, most: number): number {
    return Math.min(most, Math.floor((1 - this.next()) ** (-1 / alpha)) - 1)
  }
}

/** A whole number of 32 bits for a text (FNV-1a). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}
