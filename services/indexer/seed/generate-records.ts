import type { StoredOrganization, StoredPrompt } from '../../../shared/records/records.js'
import { Random, weighted, Zipf } from './random.js'
import { functionWords, otherLanguages, topics, vocabulary } from './words.js'

/** The number of owners for a number of skills. */
export const ownerCount = (skills: number): number => Math.max(1, Math.ceil(skills / 5))

/** The vocabulary in an order independent of frequency; a prime step visits each word once. */
const names = vocabulary.map((_word, index) => vocabulary[(index * 7_919) % vocabulary.length] as string)

/** The unique name of the owner of a rank; rank 0 has the most skills. */
export function ownerName(rank: number): string {
  const first = names[rank % names.length] as string
  const round = Math.floor(rank / names.length)
  const name = round === 0 ? first : `${first}-${names[(round * 31 + rank) % names.length]}`
  return rank % 7 === 0 ? name.charAt(0).toUpperCase() + name.slice(1) : name
}

/** Constant, since the same seed must give the same bytes at any time. */
const latestMs = Date.UTC(2026, 10, 1)
const earliestMs = Date.UTC(2015, 0, 1)

/** Times of creation, publication and last update; recent times are the most frequent. */
export function makeTimes(random: Random): { createdAt: string; updatedAt: string; publishedAt: string | null } {
  const createdMs = latestMs - (latestMs - earliestMs) * random.next() ** 2
  const updatedMs = latestMs - (latestMs - createdMs) * random.next() ** 2
  return {
    createdAt: toSecond(createdMs),
    updatedAt: toSecond(updatedMs),
    publishedAt: random.chance(0.6) ? toSecond(createdMs + (updatedMs - createdMs) / 2) : null,
  }
}

const toSecond = (epochMs: number): string => new Date(Math.floor(epochMs / 1_000) * 1_000).toISOString()

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

/** Generates organizations of the owners with the most skills; the same ones for the same count and seed. */
export function* generateOrganizations(count: number, seed: number): Generator<StoredOrganization> {
  const random = new Random(seed, 'organizations')
  const writer = new Writer(random)
  for (let rank = 0; rank < count; rank += 1) {
    const login = ownerName(rank).toLowerCase()
    const { createdAt, updatedAt } = makeTimes(random)
    yield {
      login,
      name: login.split('-').map(capitalized).join(' '),
      description: random.chance(0.8) ? writer.sentence(random.between(5, 16)) : null,
      url: `https://${login}.example/`,
      avatarUrl: `https://git.example/avatars/${login}.png`,
      createdAt,
      updatedAt,
      state: 'published',
      removedAt: null,
    }
  }
}

/** Share of compounds of two words: the long tail of rare words of any large text. */
const compoundShare = 0.03

const functionWordShare = 0.45

const wordRanks = new Zipf(vocabulary.length, 1, 2.7)
const functionWordRanks = new Zipf(functionWords.length, 1, 1)
const languageRanks = new Zipf(otherLanguages.length, 0.8)
const otherRanks = new Map(otherLanguages.map((language) => [language, new Zipf(language.words.length, 0.9, 2)]))

/** Generates words and sentences that resemble those of a catalog. */
export class Writer {
  constructor(private readonly random: Random) {}

  word(): string {
    const word = wordRanks.pick(vocabulary, this.random)
    return this.random.chance(compoundShare) ? word + wordRanks.pick(vocabulary, this.random) : word
  }

  /** Words in lower case. */
  words(count: number): string[] {
    const words: string[] = []
    for (let index = 0; index < count; index += 1) {
      words.push(this.word())
    }
    return words
  }

  /** A sentence with this many words, and function words between them. */
  sentence(words: number): string {
    let text = capitalized(this.word())
    for (let index = 1; index < words; index += 1) {
      if (this.random.chance(functionWordShare)) {
        text += ` ${functionWordRanks.pick(functionWords, this.random)}`
      }
      text += ` ${this.word()}`
    }
    return `${text}.`
  }

  /** Sentences with this many words in total. */
  paragraph(words: number): string {
    const sentences: string[] = []
    for (let left = words; left > 0; ) {
      const drawn = this.random.between(5, 14)
      // Fewer than four remaining words join the sentence.
      const length = left - drawn < 4 ? left : drawn
      sentences.push(this.sentence(length))
      left -= length
    }
    return sentences.join(' ')
  }

  /** A name and a text in a language other than English. */
  foreign(words: number): { name: string; text: string } {
    const language = languageRanks.pick(otherLanguages, this.random)
    const ranks = otherRanks.get(language) as Zipf
    const draw = (count: number): string =>
      Array.from({ length: count }, () => ranks.pick(language.words, this.random)).join(language.space)
    return { name: capitalized(draw(2)), text: `${capitalized(draw(words))}${language.stop}` }
  }
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
