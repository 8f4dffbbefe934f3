/** Half of a surrogate pair on its own: no character, and not writable as UTF-8. */
const loneSurrogates = /\p{Surrogate}/gu

/**
 * Control characters other than the tab and the line feed, and the byte order mark: within a text it is invisible, but
 * JavaScript's `\s` matches it.
 */
const controls = /(?![\t\n])\p{Cc}|\ufeff/gu

const lineBreaks = /\r\n?|[\u2028\u2029\u0085]/g

/** Combining marks beyond the 30 that the Stream-Safe Text Format allows in a row (UAX #15, section 13). */
const excessMarks = /(\p{M}{30})\p{M}+/gu

/** Something that can be seen, as opposed to spaces, marks and invisible format characters alone. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * Text with at most 30 combining marks in a row, which no language needs. To normalize it takes linear time: the marks
 * of a longer row are sorted in quadratic time, 5 seconds for 160,000.
 */
export const limitMarks = (text: string): string => text.replace(excessMarks, '$1')

/**
 * Text of any length as the catalog keeps it: NFC, line breaks as line feeds, without control characters, byte order
 * marks and lone surrogates, trimmed.
 *
 * @returns null when nothing visible is left
 */
export function cleanText(text: string): string | null {
  const plain = text.replace(lineBreaks, '\n').replace(controls, '').replace(loneSurrogates, '')
  const cleaned = limitMarks(plain).normalize('NFC').trim()
  return visible.test(cleaned) ? cleaned : null
}

/** As `cleanText`, on one line: line breaks and tabs become spaces, and spaces never stand in a row. */
export function cleanLine(text: string): string | null {
  return cleanText(text)?.replace(/\s+/g, ' ') ?? null
}

/** Text of at most this many characters; what is longer is cut, and says so by an ellipsis. */
export const shorten = (text: string, maxCharacters: number): string =>
  text.length <= maxCharacters ? text : cut(text, maxCharacters)

/** The beginning of a text and an ellipsis, at most this many characters together. */
export function cut(text: string, maxCharacters: number): string {
  // The cut may go through a surrogate pair, of which no half may stay.
  const kept = text.slice(0, maxCharacters - 1).replace(loneSurrogates, '')
  return `${kept.trimEnd()}…`
}
