/**
 * Makes foreign text safe for a terminal: characters that could move the cursor or change colours become question
 * marks.
 */
export const printable = (text: string): string => text.replace(/(?!\n)\p{Cc}/gu, '?')
