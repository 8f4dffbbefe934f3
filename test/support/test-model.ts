import type { Embedder, Vector } from '../../shared/ports/embedder.js'

const dimensions = 8

/** A model that embeds nothing: tests make the vectors of their skills and queries themselves. */
export const testModel: Pick<Embedder, 'model' | 'dimensions'> = { model: 'test', dimensions: async () => dimensions }

/**
 * A vector of the test model, of unit length, with these first numbers before scaling; without any: of zeros. The embedded
 * mode keeps 8 bits of each number: two decimals of a cosine are exact.
 */
export function aVector(...numbers: number[]): Vector {
  const length = Math.hypot(...numbers) || 1
  return Float32Array.from({ length: dimensions }, (_, at) => (numbers[at] ?? 0) / length)
}
