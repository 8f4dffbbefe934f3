import { hash } from 'node:crypto'
import type { Skill } from '../records/skill.js'
import { camelCaseParts, wordsIn } from './analyze.js'

/** Separates the entries of a field; no word of a text. */
export const entrySeparator = '='

/** The words of an id, by which a skill is known: an exact match of them comes first. */
export const wordsOfId = (id: string): string[] => wordsIn(id.replace(/[/@]/g, ' '))

/** The words of the last part of an id: of the repository, or of one of its skills. */
export const wordsOfIdEnd = (id: string): string[] => wordsIn(id.replace(/^.*[/@]/, ''))

/**
 * The words of a skill for every index: for each of `searchedFields` its entries, of folded words. Words of two entries are
 * never adjacent: topics, or a name and the parts of its camel-case words.
 */
export const skillEntries = (skill: Skill): string[][][] =>
  [
    [wordsIn(skill.name), camelCaseParts(skill.name)],
    [skill.skill === null ? [] : wordsIn(skill.skill), wordsIn(skill.repo), camelCaseParts(skill.repo)],
    skill.topics.map(wordsIn),
    [wordsIn(skill.description ?? '')],
    [wordsIn(skill.owner)],
  ].map((entries) => entries.filter((entry) => entry.length > 0))

/** The entries of each field as one text, of words joined by spaces. */
export const joinEntries = (entries: string[][][]): string[] =>
  entries.map((field) => field.map((entry) => entry.join(' ')).join(` ${entrySeparator} `))

/** `skillEntries` as one text for each field. */
export const skillWords = (skill: Skill): string[] => joinEntries(skillEntries(skill))

/** The words of a skill as one text, a line for each field, in which every word stands between two spaces. */
export const wordLines = (words: readonly string[]): string => words.map((line) => ` ${line} `).join('\n')

/** The text of a skill whose meaning is compared: name, description, topics. */
export const embeddedText = ({ name, description, topics }: Skill): string =>
  [name, description ?? '', topics.join(', ')].filter((part) => part !== '').join('. ')

/** Equal for equal texts, see `embeddedText`. */
export const embeddedTextHash = (skill: Skill): string => hash('sha256', embeddedText(skill)).slice(0, 32)

/** Descriptions with fewer words may be equal for different skills; below the first number, even with one name. */
const comparedWords = { withName: 4, alone: 8 }

/**
 * The key that copies of a skill share, such as forks and mirrors: those with its description, word for word, and with
 * its name too where the description is short. Null: the text is too short to compare.
 */
export function copyKey({ name, description }: Skill): string | null {
  const words = wordsIn(description ?? '')
  if (words.length < comparedWords.withName) {
    return null
  }
  const text = words.length < comparedWords.alone ? [...wordsIn(name), '', ...words] : words
  return hash('sha256', text.join(' ')).slice(0, 16)
}
