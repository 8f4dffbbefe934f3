// Not the end of an HTML character reference, which may be part of an e-mail address (`jane&#64;mail.example`).
const separator = /[,|]|(?<!&(?:amp;){0,3}(?:#\w{1,10}|amp|commat|period|quot|shy|zwn?j|ZeroWidthSpace|NoBreak));/i

/** The items of a list in a text, separated by `,`, `|` or `;`. */
export const splitList = (text: string): string[] => text.split(separator)
