/** The text that a part of an address stands for; null when its percent-encoding is malformed or is not UTF-8. */
export function decodeUrlPart(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

/** Whether a text holds characters that belong to no name, such as NUL, a line break or DEL. */
export const hasControlCharacters = (text: string): boolean => /\p{Cc}/u.test(text)
