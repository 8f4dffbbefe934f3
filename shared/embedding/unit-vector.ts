import type { Vector } from '../ports/embedder.js'

/**
 * The vector of unit length in the same direction; zeros stay zeros.
 *
 * @returns null when a number, or the length, is not finite
 */
export function unitVector(numbers: ArrayLike<number>): Vector | null {
  let sum = 0
  for (let at = 0; at < numbers.length; at += 1) {
    const number = Number(numbers[at])
    sum += number * number
  }
  if (!Number.isFinite(sum)) {
    return null
  }
  const vector = new Float32Array(numbers.length)
  const scale = sum === 0 ? 0 : 1 / Math.sqrt(sum)
  for (let at = 0; at < vector.length; at += 1) {
    vector[at] = Number(numbers[at]) * scale
  }
  return vector
}
