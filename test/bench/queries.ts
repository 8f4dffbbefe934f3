import type { Skill } from '../../shared/records/skill.js'
import { wordsIn } from '../../shared/text/analyze.js'

/** Returns the next queries of an endless sequence. */
export type NextQueries = (count: number) => string[]

/** Characters that the API accepts in a query. */
const maxCharacters = 200

/** A step that visits the records in no order of theirs. */
const step = 7_919

/** A skill of which a query is made, and the number of that query. */
interface Source {
  skill: Skill
  /** The folded words of name and description. */
  words: string[]
  n: number
}

/** Word `at` of name and description, in an order that differs from query to query. */
const word = ({ words, n }: Source, at: number): string => words[(n + at) % words.length] ?? 'pdf'

/** As `word`, among those of four letters or more. */
function longWord(source: Source, at: number): string {
  const words = source.words.filter((each) => each.length > 3)
  return word({ ...source, words: words.length > 0 ? words : source.words }, at)
}

const sentences: ((source: Source) => string)[] = [
  (source) => `how do I ${longWord(source, 0)} my ${longWord(source, 1)}`,
  (source) => `what is the best way to ${longWord(source, 0)} and ${longWord(source, 1)}`,
  (source) => `a tool for ${longWord(source, 0)} with ${longWord(source, 1)} and ${longWord(source, 2)}`,
  (source) => `can you help me to ${longWord(source, 0)} the ${longWord(source, 1)}`,
]

const kinds: ((source: Source) => string)[] = [
  (source) => word(source, 0),
  (source) => `${word(source, 0)} ${word(source, 1)}`,
  (source) => `${word(source, 0)} ${word(source, 1)} ${word(source, 3)}`,
  (source) => firstLetters(word(source, 0), 3),
  (source) => `${word(source, 1)} ${withoutLetter(word(source, 0), 2)}`,
  (source) => sentences[Math.floor(source.n / kinds.length) % sentences.length]?.(source) ?? '',
  ({ skill }) => `${skill.owner}/${skill.repo}`,
  ({ skill, n }) => misspelledName(skill.name, Math.floor(n / kinds.length)),
]

/**
 * What people type, all from the records, always the same for the same records. An eighth each:
 *
 * - one word of a name or a description; two; three
 * - the first three letters of a word
 * - two words, the second without one of its letters
 * - a sentence with function words (“how do I …”) around two or three words of four letters or more
 * - `owner/repo`
 * - a name, its longest word misspelled: a letter missing, swapped with its neighbour, doubled, or wrong
 */
export const mixedQueries = (sample: Skill[]): NextQueries =>
  numbered(sample, (source) => kinds[source.n % kinds.length]?.(source) ?? '')

/** The first one to ten letters of names, in lower case: what a search box sends while a name is typed. */
export const nameBeginnings = (sample: Skill[]): NextQueries =>
  numbered(sample, ({ skill, n }) => firstLetters(skill.name.toLowerCase(), 1 + (n % 10)))

function numbered(sample: Skill[], queryOf: (source: Source) => string): NextQueries {
  let next = 0
  const make = () => {
    const n = next
    next += 1
    const skill = sample[(n * step) % sample.length]
    if (skill === undefined) {
      throw new Error('the record set has no published skill')
    }
    return shortened(queryOf({ skill, n, words: wordsIn(`${skill.name} ${skill.description ?? ''}`) })) || 'pdf'
  }
  return (count) => Array.from({ length: count }, make)
}

/** A text as long as a query may be. */
export const shortened = (text: string): string => firstLetters(text, maxCharacters)

const firstLetters = (text: string, count: number): string => [...text].slice(0, count).join('').trim()

const withoutLetter = (text: string, at: number): string => [...text].toSpliced(at, 1).join('')

function misspelledName(name: string, n: number): string {
  const words = wordsIn(name)
  const longest = Math.max(...words.map((each) => each.length))
  const place = words.findIndex((each) => each.length === longest)
  return words.with(place, misspelled(words[place] ?? '', n)).join(' ')
}

/** A word with one typo, of four kinds in turn, never in its first letter. Words of up to three letters are returned. */
export function misspelled(text: string, n: number): string {
  const letters = [...text]
  if (letters.length < 4) {
    return text
  }
  const at = 1 + (n % (letters.length - 2))
  const [letter = '', following = ''] = letters.slice(at)
  const replacements = [
    [following],
    [following, letter],
    [letter, letter, following],
    [letter === 'e' ? 'a' : 'e', following],
  ]
  return letters.toSpliced(at, 2, ...(replacements[n % 4] ?? [])).join('')
}
