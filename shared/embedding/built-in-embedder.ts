import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Embedder, TextPurpose, Vector } from '../ports/embedder.js'
import { projectRoot } from '../runtime/project-root.js'

/**
 * The vector of unit length in the same direction; zeros stay zeros.
 *
 * @returns null when a number, or the length, is not finite
 */
export function unitVector(numbers: ArrayLike<number>): Vector | null {
  let sum = 0
  for (let at = 0; at < numbers.length; at += 1) {
    const number = Number(numbers[at])
    sum += number * number
  }
  if (!Number.isFinite(sum)) {
    return null
  }
  const vector = new Float32Array(numbers.length)
  const scale = sum === 0 ? 0 : 1 / Math.sqrt(sum)
  for (let at = 0; at < vector.length; at += 1) {
    vector[at] = Number(numbers[at]) * scale
  }
  return vector
}

/** What starts a word, as in SentencePiece (https://github.com/google/sentencepiece). */
const wordStart = '▁'

/** The likelihood of a letter that is no piece: less than any piece's. */
const unknownScore = -30

/** Letters of a word that are read; in languages without spaces, of what stands between two marks. */
const maxLetters = 1_000

/**
 * The pieces into which words are cut, for all languages: whole words, and parts of the others (a unigram model,
 * https://arxiv.org/abs/1804.10959).
 */
export class Pieces {
  readonly #ids = new Map<string, number>()
  readonly #scores: Float32Array
  #longest = 0

  /** @param lines a piece, a tab and the logarithm of its likelihood in each; `▁` starts the pieces that start a word */
  constructor(lines: string[]) {
    this.#scores = new Float32Array(lines.length)
    for (const [id, line] of lines.entries()) {
      const tab = line.indexOf('\t')
      this.#ids.set(line.slice(0, tab), id)
      this.#scores[id] = Number(line.slice(tab + 1))
      this.#longest = Math.max(this.#longest, tab)
    }
  }

  /** The likeliest pieces of a word, each with its number, the line's. What is no piece is left out. */
  cut(word: string): { piece: string; id: number }[] {
    const text = wordStart + foldForTable(word.slice(0, maxLetters)).slice(0, maxLetters)
    // For each end: of the best way to get there, its likelihood, and where its last piece starts.
    const scores = new Float64Array(text.length + 1)
    const starts = new Uint32Array(text.length + 1)
    for (let end = 1; end <= text.length; end += 1) {
      scores[end] = Number(scores[end - 1]) + unknownScore
      starts[end] = end - 1
      for (let start = Math.max(0, end - this.#longest); start < end; start += 1) {
        const id = this.#ids.get(text.slice(start, end))
        const score = id === undefined ? Number.NEGATIVE_INFINITY : Number(scores[start]) + Number(this.#scores[id])
        if (score > Number(scores[end])) {
          scores[end] = score
          starts[end] = start
        }
      }
    }
    const found: { piece: string; id: number }[] = []
    for (let end = text.length; end > 0; end = Number(starts[end])) {
      const piece = text.slice(starts[end], end)
      const id = this.#ids.get(piece)
      if (id !== undefined) {
        found.push({ piece, id })
      }
    }
    return found.toReversed()
  }
}

/** A run of letters and digits of any language. */
const wordPattern = /[\p{L}\p{M}\p{N}]+/gu

/** The words of a text as they are written, for `Pieces.cut`; of languages without spaces, what stands between marks. */
export function* wordsOf(text: string): Iterable<string> {
  for (const [word] of text.matchAll(wordPattern)) {
    yield word
  }
}

/** A text as the pieces of the table have it: in lower case, Latin letters without accents, which are often left out. */
export function foldForTable(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?<=[a-z])\p{M}+/gu, '')
    .normalize('NFC')
}

/** The model of the table, and its release: raised whenever vectors change. */
const builtInModel = 'static-multilingual/4'

/** Length of the vectors. */
export const builtInDimensions = 256

/** Tokens of a text that count: of longer texts the beginning says what they are about. */
const maxTokens = 200

/** Texts that are embedded without a pause, in which the process can renew its locks. */
const embeddedAtOnce = 100

/** Words whose tokens are kept; when there are more, all are forgotten. */
const maxKnownWords = 50_000

/** Pieces that mean something: a short word, the stem or a part of a longer one, two letters of a language without spaces. */
const meaningful = /^▁\p{L}{3}$|\p{L}{4}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]{2}/u

/** The table: a row of 8-bit integers for each piece. */
interface Table {
  /** Four in each 32-bit integer. */
  vectors: Int32Array
  pieces: Pieces
}

interface Word {
  tokens: Uint32Array
  /** Whether one of its pieces means something. */
  isKnown: boolean
}

/** What all embedders of a thread share: 22 MB, which are read when they are used first. */
let shared: Table | null = null

/** The tokens of words, which do not depend on their neighbours. */
const knownWords = new Map<string, Word>()

function openTable(): Table {
  if (shared === null) {
    const folder = join(projectRoot(), 'shared', 'embedding', 'table')
    const bytes = readFileSync(join(folder, 'vectors.i8'))
    const lines = readFileSync(join(folder, 'pieces.tsv'), 'utf8').trimEnd().split('\n')
    shared = {
      vectors: new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Int32Array.BYTES_PER_ELEMENT),
      pieces: new Pieces(lines),
    }
  }
  return shared
}

/**
 * Embeds texts of many languages by a table with a vector for each piece of a vocabulary: the vector of a text is the sum
 * of those of its pieces. No model runs, and nothing is asked over a network (the idea of Model2Vec, https://github.com/MinishLab/model2vec).
 */
export class BuiltInEmbedder implements Embedder {
  readonly model = builtInModel
  readonly kind = 'table'

  async dimensions(): Promise<number> {
    return builtInDimensions
  }

  /** A query that is cut into letters and syllables, as many a name or typo, gets zeros: such pieces say nothing. */
  async embed(texts: string[], purpose: TextPurpose): Promise<Vector[]> {
    const table = openTable()
    const vectors: Vector[] = []
    for (const text of texts) {
      const words = readWords(table, text)
      const isKnown = purpose === 'document' || words.some((word) => word.isKnown)
      vectors.push(isKnown ? vectorOf(table, words) : new Float32Array(builtInDimensions))
      if (vectors.length % embeddedAtOnce === 0) {
        await setImmediate()
      }
    }
    return vectors
  }

  async close(): Promise<void> {}
}

function readWords(table: Table, text: string): Word[] {
  const words: Word[] = []
  let count = 0
  for (const written of wordsOf(text)) {
    const word = readWord(table, written)
    words.push(word)
    count += word.tokens.length
    if (count >= maxTokens) {
      break
    }
  }
  return words
}

function readWord({ pieces }: Table, written: string): Word {
  const known = knownWords.get(written)
  if (known !== undefined) {
    return known
  }
  const found = pieces.cut(written).slice(0, maxTokens)
  const word = {
    tokens: Uint32Array.from(found, ({ id }) => id),
    isKnown: found.some(({ piece }) => meaningful.test(piece)),
  }
  if (knownWords.size === maxKnownWords) {
    knownWords.clear()
  }
  knownWords.set(written, word)
  return word
}

/** 32-bit integers that a row of the table takes. */
const rowLength = builtInDimensions / 4

/**
 * The sum of the words' tokens. Four dimensions are added at a time, in pairs of 16 bits, which `maxTokens` rows cannot
 * exceed: a third of the time of one at a time.
 */
function vectorOf({ vectors }: Table, words: Word[]): Vector {
  const even = new Int32Array(rowLength)
  const odd = new Int32Array(rowLength)
  let rows = 0
  for (const { tokens } of words) {
    for (let place = 0; place < tokens.length && rows < maxTokens; place += 1) {
      const start = (tokens[place] as number) * rowLength
      for (let at = 0; at < rowLength; at += 1) {
        // None is negative, each is 128 too large.
        const four = (vectors[start + at] as number) ^ 0x80808080
        even[at] = (even[at] as number) + (four & 0x00ff00ff)
        odd[at] = (odd[at] as number) + ((four >>> 8) & 0x00ff00ff)
      }
      rows += 1
    }
  }
  const sum = new Float32Array(builtInDimensions)
  for (let at = 0; at < rowLength; at += 1) {
    for (const [place, pair] of [even, odd].entries()) {
      sum[4 * at + place] = ((pair[at] as number) & 0xffff) - 128 * rows
      sum[4 * at + place + 2] = ((pair[at] as number) >>> 16) - 128 * rows
    }
  }
  return unitVector(sum) ?? sum
}
