/** An owner and a slash, with or without the beginning of a repository, or of one of its skills. */
const typedId = /^[A-Za-z0-9._-]{1,100}\/[A-Za-z0-9._-]{0,100}(?:@[A-Za-z0-9-]{0,64})?$/

/** The text as the lower-case beginning of an id; null when it is none: an owner without a slash is only a word. */
export const idBeginning = (text: string): string | null => (typedId.test(text) ? text.toLowerCase() : null)
