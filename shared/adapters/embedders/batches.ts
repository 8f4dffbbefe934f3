/** Bounds of one batch. */
export interface BatchLimits {
  maxTexts: number
  /** Number of texts times the characters of the longest: models pad the texts of a batch to equal length. */
  maxCharacters: number
}

/**
 * Divides texts into batches of similar length, the short ones first.
 *
 * @param lengths of the texts, in characters
 * @returns for each batch the positions of its texts; a text that is too long alone is a batch
 */
export function divideIntoBatches(lengths: number[], { maxTexts, maxCharacters }: BatchLimits): number[][] {
  const byLength = lengths.map((length, position) => ({ position, length })).sort((a, b) => a.length - b.length)
  const batches: number[][] = []
  let batch: number[] = []
  for (const { position, length } of byLength) {
    if (batch.length === maxTexts || (batch.length + 1) * length > maxCharacters) {
      batches.push(batch)
      batch = []
    }
    batch.push(position)
  }
  batches.push(batch)
  return batches.filter(({ length }) => length > 0)
}
