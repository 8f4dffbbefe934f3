import { stemmer as english } from '@orama/stemmers/english'
import { stemmer as russian } from '@orama/stemmers/russian'
import { limitMarks } from './clean-text.js'

/** Words whose stem Snowball confuses with that of another word: nearly all of them are their own stem. */
const ownStems = 'news general generic universe university organization organ policy police important redis https'
const exceptions = new Map(ownStems.split(' ').map((word) => [word, word]))
exceptions.set('generally', 'general').set('organizations', 'organization')

/** Distinct words of a large catalog; when there are more, the memory is emptied. */
const maxKept = 100_000
const kept = new Map<string, string>()

/**
 * The common form of a word's inflections: `scraping`, `scraped` and `scrapes` have one. Latin letters are taken for
 * English, Cyrillic ones for Russian; other words are their own stem.
 *
 * @param word folded, see `foldLetters`
 *
 * Source: Snowball's English (Porter2) and Russian algorithms, https://snowballstem.org
 */
export function stemOf(word: string): string {
  const known = kept.get(word)
  if (known !== undefined) {
    return known
  }
  const stem = computeStem(word)
  if (kept.size >= maxKept) {
    kept.clear()
  }
  kept.set(word, stem)
  return stem
}

function computeStem(word: string): string {
  const exception = exceptions.get(word)
  if (exception !== undefined || word.length < 4 || word.length > 40) {
    return exception ?? word
  }
  if (/^[a-z]+$/.test(word)) {
    return english(word)
  }
  return /^[а-я]+$/.test(word) ? russian(word) : word
}

/** A word of a text: folded for comparison, with its position in the original (UTF-16 code units). */
export interface Token {
  text: string
  start: number
  end: number
}

// Scripts without spaces (and the long vowel mark that two of them share): each character is a token, and a run of them
// is searched as a phrase.
const unspaced = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\uff70`

/** Names that consist of symbols, and how they are spelled where those cannot be written. */
export const symbolNames: ReadonlyMap<string, string> = new Map([
  ['c++', 'cplusplus'],
  ['c#', 'csharp'],
  ['f#', 'fsharp'],
  ['.net', 'dotnet'],
  ['.env', 'dotenv'],
])
const symbolName = String.raw`(?<![\p{L}\p{N}])(?:c\+\+|(?:[cf]#|\.net|\.env)(?![\p{L}\p{N}]))`

const tokenPattern = new RegExp(
  String.raw`${symbolName}|[${unspaced}]\p{M}*|\p{Extended_Pictographic}|(?:(?![${unspaced}])[\p{L}\p{N}])(?:(?![${unspaced}])[\p{L}\p{N}\p{M}])*`,
  'giu',
)
const unspacedPattern = new RegExp(`^[${unspaced}]`, 'u')
const plainAscii = /^[\x20-\x7e\n\t]*$/
const asciiWord = /[A-Za-z0-9]+/g
const asciiToken = /(?<![a-z0-9])(?:c\+\+|(?:[cf]#|\.net|\.env)(?![a-z0-9]))|[a-z0-9]+/gi

// Letters without a Unicode decomposition, spelled as people type them.
const spelledOut: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', ı: 'i', þ: 'th' }

/** Folds case, compatibility forms and diacritics: `Ｃafé` and `cafe` become equal. */
export function foldLetters(text: string): string {
  // The voicing marks of kana are part of the letter, not an accent.
  const decomposed = limitMarks(text)
    .normalize('NFKD')
    .replace(/(?![\u3099\u309a])\p{M}/gu, '')
  // Recomposed: Hangul stays one letter per syllable instead of three, voiced kana one letter.
  return decomposed
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ßæœøđłıþ]/g, (letter) => spelledOut[letter] ?? letter)
}

/**
 * Splits a text into folded words. Every character other than letters, digits and pictographs separates, so that
 * `markdown-to-pdf`, `markdown_to_pdf` and `markdown to pdf` are the same; in scripts without spaces each character is
 * one token. `C++`, `C#`, `F#` and `.NET` are words.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  if (plainAscii.test(text)) {
    for (const match of text.matchAll(asciiToken)) {
      const word = match[0].toLowerCase()
      tokens.push({ text: symbolNames.get(word) ?? word, start: match.index, end: match.index + match[0].length })
    }
    return tokens
  }
  for (const match of text.matchAll(tokenPattern)) {
    // Some letters fold to several characters, such as brackets: only word characters are kept.
    const symbol = symbolNames.get(match[0].toLowerCase())
    const folded = symbol ?? foldLetters(match[0]).replace(/[^\p{L}\p{N}\p{Extended_Pictographic}]+/gu, '')
    if (folded !== '') {
      tokens.push({ text: folded, start: match.index, end: match.index + match[0].length })
    }
  }
  return tokens
}

const mayHoldSymbolName = /[+#]|\.net|\.env/i

/**
 * The folded words of a text, as `tokenize` finds them; several times as fast where there is nothing to fold. No word
 * contains a space or the end of a line.
 */
export function wordsIn(text: string): string[] {
  if (plainAscii.test(text) && !mayHoldSymbolName.test(text)) {
    return text.toLowerCase().match(asciiWord) ?? []
  }
  const parts = text.split(text.includes('\n') ? '\n' : ' ')
  return parts.length === 1 ? tokenize(text).map((token) => token.text) : parts.flatMap(wordsIn)
}

/** A text as a name is compared: without its separators, so that `fast api` and `FastAPI` are equal. */
export const nameKey = (tokens: readonly string[]): string => tokens.join('')

/** Whether a token comes from a script written without spaces. */
export const isUnspaced = (token: string): boolean => unspacedPattern.test(token)

/**
 * The parts of words in camel case (`LangChain` → `lang`, `chain`), so that the parts can be searched.
 *
 * @returns the parts of all such words, in order; empty when there are none
 */
export function camelCaseParts(text: string): string[] {
  const words = (text.match(asciiWord) ?? []).filter((word) => /[a-z0-9][A-Z]/.test(word))
  return words.flatMap((word) =>
    word
      .split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
      .map((part) => part.toLowerCase())
      .filter((part) => part.length > 1),
  )
}

/** Longer words are digests and data, which nobody searches for. */
const maxWordLength = 40

/**
 * The different words of a long text, as an index has them: by their stems; in scripts without spaces each pair of
 * characters that follow each other, since their order in the text is not kept.
 *
 * @param words of the text, folded
 */
export const textStems = (words: readonly string[]): string[] => [...new Set(stemsOf(words))]

/** The stems of words in a row, see `textStems`. */
export function stemsOf(tokens: readonly string[]): string[] {
  const stems: string[] = []
  for (const [at, token] of tokens.entries()) {
    if (!isUnspaced(token)) {
      if (token.length <= maxWordLength) {
        stems.push(stemOf(token))
      }
      continue
    }
    const next = tokens[at + 1]
    if (next !== undefined && isUnspaced(next)) {
      stems.push(token + next)
    } else if (at === 0 || !isUnspaced(tokens[at - 1] ?? '')) {
      stems.push(token)
    }
  }
  return stems
}
