import { generalWords } from './words-general.js'
import { technicalWords } from './words-technical.js'

const fields = [...Object.values(technicalWords), ...Object.values(generalWords)].map((text) =>
  text.trim().split(/\s+/),
)

/** Every word once: the most common ones of all fields first, then the less common ones of all fields, and so on. */
export const vocabulary: readonly string[] = [
  ...new Set(
    fields
      .flatMap((words) => words.map((word, rank) => ({ word, rank })))
      .sort((a, b) => a.rank - b.rank)
      .map(({ word }) => word),
  ),
]

/** Words that hold sentences together, more common ones first. */
export const glue: readonly string[] =
  'the and to for a with of your in from or on when into by as that an this every without using before after'.split(' ')

/** What projects are tagged with, more common ones first. */
export const topics: readonly string[] = vocabulary.filter((_word, rank) => rank % 2 === 0).slice(0, 600)
