import { visibleText } from './clean-text.js'

/**
 * Makes foreign text safe for a terminal: characters that could move the cursor or change colours become question
 * marks, and invisible ones, which could turn the direction of a line, are removed.
 */
export const printable = (text: string): string => visibleText(text).replace(/(?!\n)\p{Cc}/gu, '?')

/** As `printable`, on one line, so that a foreign text cannot look like lines of the program's own. */
export const printableLine = (text: string): string => printable(text.replace(/\s+/g, ' ').trim())
