import type { StoredPrompt } from '../../../shared/records/prompt.js'
import { Random } from './random.js'
import { makeTimes } from './times.js'
import { topics } from './vocabulary.js'
import { capitalized, Writer } from './writer.js'
import { weighted, Zipf } from './zipf.js'

const pickType = weighted([
  ['text', 83],
  ['structured', 15],
  ['image', 2],
])

const topicRanks = new Zipf(topics.length, 0.8)

/** Generates prompts; the same ones, in the same order, for the same count and seed. */
export function* generatePrompts(count: number, seed: number): Generator<StoredPrompt> {
  const random = new Random(seed, 'prompts')
  const writer = new Writer(random)
  for (let index = 0; index < count; index += 1) {
    const words = writer.words(random.between(2, 5))
    const { createdAt, updatedAt } = makeTimes(random)
    yield {
      id: `${words.join('-')}-${index}`,
      title: words.map(capitalized).join(' '),
      description: random.chance(0.4) ? writer.sentence(random.between(6, 14)) : null,
      content: Array.from({ length: random.between(1, 6) }, () => writer.paragraph(random.between(20, 80))).join(
        '\n\n',
      ),
      type: pickType(random),
      topics: random.chance(0.5) ? [topicRanks.pick(topics, random)] : [],
      author: random.chance(0.7) ? `${writer.word()}${random.between(1, 99)}` : null,
      url: null,
      license: random.chance(0.8) ? 'CC0-1.0' : null,
      createdAt,
      updatedAt,
      state: 'published',
      removedAt: null,
    }
  }
}
