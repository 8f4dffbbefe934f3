import type { Random } from './random.js'
import { functionWords, vocabulary } from './vocabulary.js'
import { otherLanguages } from './words-other-languages.js'
import { Zipf } from './zipf.js'

/** Share of compounds of two words: the long tail of rare words of any large text. */
const compoundShare = 0.03

/** Share of words in a sentence that a function word follows. */
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
