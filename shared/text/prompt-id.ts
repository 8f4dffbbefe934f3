import { createHash } from 'node:crypto'
import { limitMarks } from './clean-text.js'
import { holdsAddress, removeAddresses } from './personal-addresses.js'

/**
 * The id of a prompt whose source gives none: readable words of the title without e-mail addresses, then twelve
 * hexadecimal digits of the title's SHA-256. The same title always has the same id; titles with the same words (`C#`,
 * `C++`, `提示`) have different ones.
 */
export function promptId(title: string): string {
  const words = limitMarks(removeAddresses(title))
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const readable = words.join('-').slice(0, 60).replace(/-$/, '')
  const digest = createHash('sha256').update(title).digest('hex').slice(0, 12)
  return `${readable === '' ? 'prompt' : readable}-${digest}`
}

/** The id that a source gives a prompt, in lower case; if it has an e-mail address, an id derived from it instead. */
export function publicPromptId(id: string): string {
  const lowerCase = id.toLowerCase()
  return holdsAddress(lowerCase) ? promptId(lowerCase) : lowerCase
}
