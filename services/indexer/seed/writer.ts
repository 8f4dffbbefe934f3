import type { Random } from './random.js'
import { glue, vocabulary } from './vocabulary.js'
import { otherLanguages } from './words-other-languages.js'
import { Zipf } from './zipf.js'

/** How often a word is two words joined: the long tail of rare words that any large text has. */
const compounds = 0.03

/** How often a word of a sentence is followed by one that holds it together. */
const glued = 0.45

const wordRanks = new Zipf(vocabulary.length, 1, 2.7)
const glueRanks = new Zipf(glue.length, 1, 1)
const languageRanks = new Zipf(otherLanguages.length, 0.8)
const otherRanks = new Map(otherLanguages.map((language) => [language, new Zipf(language.words.length, 0.9, 2)]))

/** Writes words and sentences that look like those of a catalog. */
export class Writer {
  constructor(private readonly random: Random) {}

  word(): string {
    const word = wordRanks.pick(vocabulary, this.random)
    return this.random.chance(compounds) ? word + wordRanks.pick(vocabulary, this.random) : word
  }

  /** Words in lower case. */
  words(count: number): string[] {
    const words: string[] = []
    for (let index = 0; index < count; index += 1) {
      words.push(this.word())
    }
    return words
  }

  /** A sentence of about so many words. */
  sentence(words: number): string {
    let text = capitalized(this.word())
    for (let index = 1; index < words; index += 1) {
      if (this.random.chance(glued)) {
        text += ` ${glueRanks.pick(glue, this.random)}`
      }
      text += ` ${this.word()}`
    }
    return `${text}.`
  }

  /** Sentences of about so many words in all. */
  paragraph(words: number): string {
    const sentences: string[] = []
    for (let left = words; left > 0; ) {
      const drawn = this.random.between(5, 14)
      // A rest of a few words is no sentence of its own.
      const length = left - drawn < 4 ? left : drawn
      sentences.push(this.sentence(length))
      left -= length
    }
    return sentences.join(' ')
  }

  /** A few words, and a text, in another language than English. */
  foreign(words: number): { name: string; text: string } {
    const language = languageRanks.pick(otherLanguages, this.random)
    const ranks = otherRanks.get(language) as Zipf
    const draw = (count: number): string =>
      Array.from({ length: count }, () => ranks.pick(language.words, this.random)).join(language.space)
    return { name: capitalized(draw(2)), text: `${capitalized(draw(words))}${language.stop}` }
  }
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
