// Not the end of a character reference of HTML, which may be part of an e-mail address (`jane&#64;mail.example`).
const separator = /[,|]|(?<!&(?:amp;){0,3}(?:#\w{1,10}|amp|commat|period|quot|shy|zwn?j|ZeroWidthSpace|NoBreak));/i

/** The items of a list that is written as text, separated by `,`, `|` or `;`. */
export const splitList = (text: string): string[] => text.split(separator)
