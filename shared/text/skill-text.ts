import { hash } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { removeAddresses } from '../privacy/personal-addresses.js'
import { visibleText, wholeStart } from './clean-text.js'

/**
 * What is kept of the texts of skills: nothing; the text without e-mail addresses, credentials and invisible characters, in
 * which instructions to a model can hide; or its bytes as they are.
 */
export const textModes = ['off', 'cleaned', 'original'] as const
export type TextMode = (typeof textModes)[number]

/** A text as it is kept in a mode. */
export const textAsKept = (mode: Exclude<TextMode, 'off'>, text: string): string =>
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
  wholeStart(textAsKept('cleaned', withoutFrontMatter(text).slice(0, maxSearched + maxAddress)), maxSearched)

/** The part of a text that is searched, not cleaned yet; see `searchedText`. */
export const searchedPart = (text: string): string => wholeStart(withoutFrontMatter(text), maxSearched)

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
export const unpackText = (packed: Uint8Array | ArrayBuffer): string => brotliDecompressSync(packed).toString()
