/** An owner and a slash, and perhaps some of the repository: what somebody types who knows whose skill it is. */
const typedId = /^[A-Za-z0-9._-]{1,100}\/[A-Za-z0-9._-]{0,100}$/

/** The lower-case beginning of an id that a text is; null when it is none, or not yet: an owner without a slash is a word. */
export const idBeginning = (text: string): string | null => (typedId.test(text) ? text.toLowerCase() : null)
