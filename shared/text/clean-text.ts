/** Half of a surrogate pair on its own: no character, and not writable as UTF-8. */
const loneSurrogates = /\p{Surrogate}/gu

/** Control characters other than the tab and the line feed. */
const controls = /(?![\t\n])\p{Cc}/gu

const lineBreaks = /\r\n?|[\u2028\u2029\u0085]/g

/** Something that can be seen, as opposed to spaces, marks and invisible format characters alone. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * Text of any length as the catalog keeps it: NFC, line breaks as line feeds, without control characters and lone
 * surrogates, trimmed.
 *
 * @returns null when nothing visible is left
 */
export function cleanText(text: string): string | null {
  const cleaned = text
    .replace(lineBreaks, '\n')
    .replace(controls, '')
    .replace(loneSurrogates, '')
    .normalize('NFC')
    .trim()
  return visible.test(cleaned) ? cleaned : null
}

/** As `cleanText`, on one line: line breaks and tabs become spaces, and spaces never stand in a row. */
export function cleanLine(text: string): string | null {
  return cleanText(text)?.replace(/\s+/g, ' ') ?? null
}

/** Text of at most this many characters; what is longer is cut, and says so by an ellipsis. */
export function shorten(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) {
    return text
  }
  // The cut may go through a surrogate pair, of which no half may stay.
  return `${text
    .slice(0, mostCharacters - 1)
    .replace(loneSurrogates, '')
    .trimEnd()}…`
}
