/** Half of a surrogate pair: not a character, and not encodable as UTF-8. */
const loneSurrogates = /\p{Surrogate}/gu

/**
 * Control characters other than tab and line feed, and the byte order mark, which is invisible but matches `\s` in
 * JavaScript.
 */
const controls = /(?![\t\n])\p{Cc}|\ufeff/gu

const lineBreaks = /\r\n?|[\u2028\u2029\u0085]/g

/** Combining marks beyond the 30 that the Stream-Safe Text Format allows in a row (UAX #15, section 13). */
const excessMarks = /(\p{M}{30})\p{M}+/gu

/** A visible character, as opposed to spaces, marks and invisible format characters. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * Limits a text to 30 combining marks in a row, more than any language needs. Normalizing is then linear: longer rows
 * of marks are sorted in quadratic time, 5 seconds for 160,000.
 */
export const limitMarks = (text: string): string => text.replace(excessMarks, '$1')

/** Text of visible ASCII characters, with spaces and line feeds only within: it is clean as it is. */
const plainAscii = /^[!-~](?:[\n -~]*[!-~])?$/

/**
 * Cleans a text of any length for the catalog: NFC, line breaks as line feeds, without control characters, byte order
 * marks and lone surrogates, trimmed.
 *
 * @returns null when nothing visible is left
 */
export function cleanText(text: string): string | null {
  if (plainAscii.test(text)) {
    return text
  }
  const plain = text.replace(lineBreaks, '\n').replace(controls, '').replace(loneSurrogates, '')
  const cleaned = limitMarks(plain).normalize('NFC').trim()
  return visible.test(cleaned) ? cleaned : null
}

/** As `cleanText`, on one line: line breaks and tabs become spaces, and runs of spaces one space. */
export function cleanLine(text: string): string | null {
  return cleanText(text)?.replace(/\s+/g, ' ') ?? null
}

/** A text of at most this number of characters; a longer one is shortened and ends with an ellipsis. */
export const shorten = (text: string, maxCharacters: number): string =>
  text.length <= maxCharacters ? text : cut(text, maxCharacters)

/** The beginning of a text and an ellipsis, together at most this number of characters. */
export function cut(text: string, maxCharacters: number): string {
  // Do not keep half of a surrogate pair.
  const kept = text.slice(0, maxCharacters - 1).replace(loneSurrogates, '')
  return `${kept.trimEnd()}…`
}
