import { hash } from 'node:crypto'
import { holdsAddress, removeAddresses } from '../privacy/personal-addresses.js'
import { limitMarks } from './clean-text.js'

/**
 * An id with readable words of the title without e-mail addresses, then twelve hexadecimal digits of a SHA-256. The same
 * arguments always have the same id; titles with the same words (`C#`, `C++`, `提示`) have different ones.
 *
 * @param identity what distinguishes the prompt from others of this title; absent: nothing
 */
export function promptId(title: string, identity?: string): string {
  const words = limitMarks(removeAddresses(title))
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const readable = words.join('-').slice(0, 60).replace(/-$/, '')
  const digested = identity === undefined ? title : `${essence(title)}\0${identity}`
  return `${readable === '' ? 'prompt' : readable}-${hash('sha256', digested).slice(0, 12)}`
}

/** Everything that cleaning a text may add or take away. */
const unseen = /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}]/gu

/** Equal for all spellings of one text, also after a change of the rules by which texts are cleaned. */
const essence = (text: string): string => text.normalize('NFKC').replace(unseen, '')

/**
 * What distinguishes a prompt without an id from others of its title: its author, or its content where no author is known. Null:
 * it has neither.
 */
export const promptIdentity = ({
  author,
  content,
}: {
  author: string | null
  content: string | null
}): string | null =>
  author !== null ? `author ${author.toLowerCase()}` : content === null ? null : `content ${essence(content)}`

/** Equal for prompts without ids that are the same prompt; null where nothing distinguishes it. */
export function promptKey(prompt: { title: string; author: string | null; content: string | null }): string | null {
  const identity = promptIdentity(prompt)
  return identity === null ? null : hash('sha256', `${essence(prompt.title)}\0${identity}`)
}

/** The id of another prompt with the same title and author, made from its content. */
export const furtherPromptId = (title: string, content: string): string =>
  promptId(title, `content ${essence(content)}`)

/** The id that a source gives a prompt, in lower case; if it has an e-mail address, an id derived from it instead. */
export function publicPromptId(id: string): string {
  const lowerCase = id.toLowerCase()
  return holdsAddress(lowerCase) ? promptId(lowerCase) : lowerCase
}
