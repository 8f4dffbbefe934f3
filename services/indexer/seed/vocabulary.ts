import { generalWords } from './words-general.js'
import { technicalWords } from './words-technical.js'

const fields = [...Object.values(technicalWords), ...Object.values(generalWords)].map((text) =>
  text.trim().split(/\s+/),
)

/** Distinct words of all fields, ordered by their rank within a field. */
export const vocabulary: readonly string[] = [
  ...new Set(
    fields
      .flatMap((words) => words.map((word, rank) => ({ word, rank })))
      .sort((a, b) => a.rank - b.rank)
      .map(({ word }) => word),
  ),
]

/** More frequent words first. */
export const functionWords: readonly string[] =
  'the and to for a with of your in from or on when into by as that an this every without using before after'.split(' ')

/** More frequent topics first. */
export const topics: readonly string[] = vocabulary.filter((_word, rank) => rank % 2 === 0).slice(0, 600)
