/**
 * Texts that are more than text to the readers of a CSV file: a spreadsheet runs one that begins as a formula, and data
 * frames take words for no value. In an export an apostrophe is put before them, and before any that begins with such
 * apostrophes, so that it can be taken away again.
 */
const special =
  /^'*(?:[=+\-@＝＋－＠\t\r\n\0]|(?:\\n|null|\(null\)|nil|undefined|none|-?nan|nat|<na>|#?n\/?a(?: n\/a)?)$)/i

/** A text as a cell of a CSV file. */
export const toCell = (text: string): string => (special.test(text) ? `'${text}` : text)

/** The text in a cell of a CSV file. */
export const fromCell = (cell: string): string => (cell.startsWith("'") && special.test(cell) ? cell.slice(1) : cell)
