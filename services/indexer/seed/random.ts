/** A random number generator with the same numbers for the same seed on every machine (mulberry32). */
export class Random {
  #state: number

  /**
   * @param seed any whole number
   * @param stream distinguishes sequences of one seed
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

  /** True with this probability: 0.05 is 5 %. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** A Pareto-distributed number, minus 1, from 0 to `max`. A smaller `alpha` gives larger ones. */
  pareto(alpha: number, max: number): number {
    return Math.min(max, Math.floor((1 - this.next()) ** (-1 / alpha)) - 1)
  }
}

/** The 32-bit hash of a text (FNV-1a). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}

/** Draws ranks by a Zipf-Mandelbrot distribution, as of words and owners: the first are the most frequent. */
export class Zipf {
  readonly #cumulated: Float64Array

  /**
   * @param size number of ranks
   * @param exponent the larger, the more frequent are the first ranks
   * @param shift flattens the distribution of the first ranks
   */
  constructor(size: number, exponent: number, shift = 0) {
    this.#cumulated = new Float64Array(size)
    let sum = 0
    for (let rank = 0; rank < size; rank += 1) {
      sum += (rank + 1 + shift) ** -exponent
      this.#cumulated[rank] = sum
    }
  }

  /** A rank, from 0. */
  draw(random: Random): number {
    const size = this.#cumulated.length
    const wanted = random.next() * (this.#cumulated[size - 1] ?? 0)
    let low = 0
    let high = size - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#cumulated[middle] ?? 0) > wanted) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low
  }

  /** One of the values, ordered from the most frequent. */
  pick<T>(values: readonly T[], random: Random): T {
    return values[this.draw(random)] as T
  }
}

/** Draws values with probabilities proportional to their weights. */
export function weighted<T>(choices: readonly (readonly [value: T, weight: number])[]): (random: Random) => T {
  const total = choices.reduce((sum, [, weight]) => sum + weight, 0)
  return (random) => {
    let left = random.next() * total
    for (const [value, weight] of choices) {
      left -= weight
      if (left < 0) {
        return value
      }
    }
    return choices[choices.length - 1]?.[0] as T
  }
}
