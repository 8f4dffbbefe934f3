/** Decodes a percent-encoded part of a URL; null when it is malformed or not UTF-8. */
export function decodeUrlPart(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

/** Whether a text has control characters, such as NUL, a line break or DEL. */
export const hasControlCharacters = (text: string): boolean => /\p{Cc}/u.test(text)
