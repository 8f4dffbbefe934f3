import type { Random } from './random.js'

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
