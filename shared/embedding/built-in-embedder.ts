import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import type { Embedder, TextPurpose, Vector } from '../ports/embedder.js'
import { projectRoot } from '../runtime/project-root.js'
import { unitVector } from './unit-vector.js'

/** The model of the table, and its release: raised whenever vectors change. */
const builtInModel = 'static-bge-small-en-v1.5/2'

/** Length of the vectors. */
export const builtInDimensions = 256

/** Tokens of a text that count: of longer texts the beginning says what they are about. */
const maxTokens = 200

/** Words whose tokens are kept; when there are more, all are forgotten. */
const maxKnownWords = 50_000

/** A word, or a mark of ASCII punctuation, which this vocabulary always makes a token of its own. */
const wordPattern = /[^\s!-/:-@[-`{-~]+|[!-/:-@[-`{-~]/g

/** Characters of a word that are read. */
const maxWordCharacters = 1_000

/** A token of at least three letters which is no continuation of another one. */
const tellsAlone = /^\p{L}{3}/u

/** The table: a row of 8-bit integers for each token. */
interface Table {
  /** Four in each 32-bit integer. */
  vectors: Int32Array
  tokenizer: Tokenizer
}

interface Word {
  tokens: Uint16Array
  /** Whether one of its words is a token. */
  isWhole: boolean
}

/**
 * Embeds texts by a table with a vector for each token of a vocabulary: the vector of a text is the sum of those of its
 * tokens. No model runs, and nothing is asked over a network (the idea of Model2Vec, https://github.com/MinishLab/model2vec).
 */
export class BuiltInEmbedder implements Embedder {
  readonly model = builtInModel
  readonly kind = 'table'
  readonly #folder: string
  #table: Table | null = null
  /** The tokens of words. In this vocabulary those of a word do not depend on its neighbours. */
  readonly #words = new Map<string, Word>()

  /** @param folder with the table, 8 MB, which is read when it is used first */
  constructor(folder = join(projectRoot(), 'shared', 'embedding', 'table')) {
    this.#folder = folder
  }

  async dimensions(): Promise<number> {
    return builtInDimensions
  }

  /** Of a query that has no word which is a token as a whole, such as a name or a typo, the parts say nothing: zeros. */
  async embed(texts: string[], purpose: TextPurpose): Promise<Vector[]> {
    const table = this.#open()
    return texts.map((text) => {
      const words = this.#wordsOf(table, text)
      const isKnown = purpose === 'document' || words.some(({ isWhole }) => isWhole)
      return isKnown ? vectorOf(table, words) : new Float32Array(builtInDimensions)
    })
  }

  async close(): Promise<void> {}

  #open(): Table {
    if (this.#table === null) {
      const bytes = readFileSync(join(this.#folder, 'vectors.i8'))
      const tokenizer = JSON.parse(readFileSync(join(this.#folder, 'tokenizer.json'), 'utf8')) as object
      this.#table = {
        vectors: new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Int32Array.BYTES_PER_ELEMENT),
        tokenizer: new Tokenizer(tokenizer, {}),
      }
    }
    return this.#table
  }

  #wordsOf(table: Table, text: string): Word[] {
    const words: Word[] = []
    let count = 0
    for (const [chunk] of text.matchAll(wordPattern)) {
      const word = this.#word(table, chunk)
      words.push(word)
      count += word.tokens.length
      if (count >= maxTokens) {
        break
      }
    }
    return words
  }

  #word({ tokenizer }: Table, chunk: string): Word {
    const known = this.#words.get(chunk)
    if (known !== undefined) {
      return known
    }
    const { ids, tokens } = tokenizer.encode(chunk.slice(0, maxWordCharacters), { add_special_tokens: false })
    const word = {
      tokens: Uint16Array.from(ids.slice(0, maxTokens)),
      isWhole: tokens.some(
        (token: string, at: number) => tellsAlone.test(token) && tokens[at + 1]?.startsWith('##') !== true,
      ),
    }
    if (this.#words.size === maxKnownWords) {
      this.#words.clear()
    }
    this.#words.set(chunk, word)
    return word
  }
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
