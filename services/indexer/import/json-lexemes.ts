/** A number, true, false or null (RFC 8259, sections 3 and 6), or NaN and Infinity, which Python writes. */
export const scalarForm = /^(?:true|false|null|NaN|-?Infinity|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** The characters after the backslash of an escape (section 7), whole and in part. */
export const escapeForm = /^(?:["\\/bfnrt]|u[\da-fA-F]{4})$/
export const escapeBeginning = /^u[\da-fA-F]{0,3}$/

/** Of a number, true, false or null: everything up to a space or a structural character. */
export const scalarPart = /[^\s,:"[\]{}]*/y

/** Text that matters neither to the structure nor to the count of lines. */
export const deepPart = /[^"[\]{}\n]*/y

/** The end of the match of this pattern at `position`. */
export function endOf(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position
  pattern.test(text)
  return pattern.lastIndex
}

/** The next character of a string that is not plain: a quote, a backslash or a control character. */
export function endOfPlainText(text: string, position: number): number {
  for (let end = position; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code === 0x22 || code === 0x5c || code < 0x20) {
      return end
    }
  }
  return text.length
}
