import { hash } from 'node:crypto'
import type { Skill } from '../records/skill.js'
import { wordsIn } from './analyze.js'

/** The text of a skill whose meaning is compared: name, description, topics. */
export const embeddedText = ({ name, description, topics }: Skill): string =>
  [name, description ?? '', topics.join(', ')].filter((part) => part !== '').join('. ')

/** Equal for equal texts, see `embeddedText`. */
export const embeddedTextHash = (skill: Skill): string => hash('sha256', embeddedText(skill)).slice(0, 32)

/** Descriptions with fewer words may say the same about different skills; below the first number, even of one name. */
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
