import type { Skill } from '../records/skill.js'
import { camelCaseParts, wordsIn } from './analyze.js'

/** Separates the entries of a field; no word of a text. */
export const entrySeparator = '='

/** A text as a name is compared: without its separators, so that `fast api` and `FastAPI` are equal. */
export const nameKey = (tokens: readonly string[]): string => tokens.join('')

/** The words of an id, by which a skill is known: an exact match of them comes first. */
export const wordsOfId = (id: string): string[] => wordsIn(id.replace(/[/@]/g, ' '))

/** The words of the last part of an id: of the repository, or of one of its skills. */
export const wordsOfIdEnd = (id: string): string[] => wordsIn(id.replace(/^.*[/@]/, ''))

/**
 * The words of a skill for every index: one text for each of `searchedFields`, of folded words joined by spaces. Words of
 * two entries are never adjacent: topics, or a name and the parts of its camel-case words.
 */
export function skillWords(skill: Skill): string[] {
  const joined = (...entries: string[][]) =>
    entries
      .filter((entry) => entry.length > 0)
      .map((entry) => entry.join(' '))
      .join(` ${entrySeparator} `)
  return [
    joined(wordsIn(skill.name), camelCaseParts(skill.name)),
    joined(...(skill.skill === null ? [] : [wordsIn(skill.skill)]), wordsIn(skill.repo), camelCaseParts(skill.repo)),
    joined(...skill.topics.map(wordsIn)),
    joined(wordsIn(skill.description ?? '')),
    joined(wordsIn(skill.owner)),
  ]
}

/** The words of a skill as one text, a line for each field, in which every word stands between two spaces. */
export const wordLines = (words: readonly string[]): string => words.map((line) => ` ${line} `).join('\n')
