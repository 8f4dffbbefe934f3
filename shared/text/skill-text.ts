import { createHash, hash } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { holdsAddress, removeAddresses } from '../privacy/personal-addresses.js'
import type { Skill } from '../records/skill.js'
import { wordsIn } from './analyze.js'
import { limitMarks, visibleText } from './clean-text.js'

/**
 * What is kept of the texts of skills: nothing; the text without e-mail addresses, credentials and invisible characters, in
 * which instructions to a model can hide; or its bytes as they are.
 */
export const textModes = ['off', 'cleaned', 'original'] as const
export type TextMode = (typeof textModes)[number]

/** A text as it is kept in a mode. */
export const textIn = (mode: Exclude<TextMode, 'off'>, text: string): string =>
  mode === 'original' ? text : removeAddresses(visibleText(text))

/** The front matter, whose fields are those of the record. */
const frontMatter = /^\uFEFF?\s*---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/

/** A SKILL.md without its front matter. */
export const withoutFrontMatter = (text: string): string => text.replace(frontMatter, '')

/** What is searched of a SKILL.md, in UTF-16 code units. */
const maxSearched = 16_384

/** Addresses are removed before a text is cut, so that none is cut in two and then not recognized. */
const maxAddress = 1_024

/** What is searched of a kept SKILL.md: the beginning of its body, cleaned. */
export const searchedText = (text: string): string =>
  wholeStart(textIn('cleaned', withoutFrontMatter(text).slice(0, maxSearched + maxAddress)), maxSearched)

/** The part of a text that is searched, not cleaned yet; see `searchedText`. */
export const searchedPart = (text: string): string => wholeStart(withoutFrontMatter(text), maxSearched)

/** The first characters of a text, without half of a surrogate pair at the end. */
const wholeStart = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/** `sha256:` and the digest of a text in UTF-8, or of bytes. */
export const digestOf = (content: string | Uint8Array): string => `sha256:${hash('sha256', content)}`

/** Packs eight thousand real SKILL.md files to 40 % of their size, as the best quality does; deflate, to 42 %. */
const quality = 5

/** A text compressed for a store. */
export function packText(text: string): Buffer {
  const bytes = Buffer.from(text)
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
}

/** @throws when these bytes are no packed text */
export const unpackText = (packed: Uint8Array): string => brotliDecompressSync(packed).toString()

/** The text of a skill whose meaning is compared: name, description, topics. */
export const embeddedText = ({ name, description, topics }: Skill): string =>
  [name, description ?? '', topics.join(', ')].filter((part) => part !== '').join('. ')

/** Equal for equal texts, see `embeddedText`. */
export const embeddedTextHash = (skill: Skill): string => hash('sha256', embeddedText(skill)).slice(0, 32)

/** Descriptions with fewer words may be equal for different skills; below the first number, even with one name. */
const comparedWords = { withName: 4, alone: 8 }

/**
 * The key that copies of a skill share, such as forks and mirrors: those with its description, word for word, and with
 * its name too where the description is short. Null: the text is too short to compare.
 */
export function copyKey({ name, description }: Skill): string | null {
  const words = wordsIn(description ?? '')
  if (words.length < comparedWords.withName) {
    return null
  }
  const text = words.length < comparedWords.alone ? [...wordsIn(name), '', ...words] : words
  return hash('sha256', text.join(' ')).slice(0, 16)
}

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
  return `${readable === '' ? 'prompt' : readable}-${sha256(digested).slice(0, 12)}`
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

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
  return identity === null ? null : sha256(`${essence(prompt.title)}\0${identity}`)
}

/** The id of another prompt with the same title and author, made from its content. */
export const furtherPromptId = (title: string, content: string): string =>
  promptId(title, `content ${essence(content)}`)

/** The id that a source gives a prompt, in lower case; if it has an e-mail address, an id derived from it instead. */
export function publicPromptId(id: string): string {
  const lowerCase = id.toLowerCase()
  return holdsAddress(lowerCase) ? promptId(lowerCase) : lowerCase
}
