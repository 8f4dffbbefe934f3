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
  readonly #longest: number

  /** @param lines a piece, a tab and the logarithm of its likelihood in each; `▁` starts the pieces that start a word */
  constructor(lines: string[]) {
    const parts = lines.map((line) => line.split('\t'))
    for (const [id, [piece = '']] of parts.entries()) {
      this.#ids.set(piece, id)
    }
    this.#scores = Float32Array.from(parts, ([, score]) => Number(score))
    this.#longest = parts.reduce((longest, [piece = '']) => Math.max(longest, piece.length), 0)
  }

  /** The likeliest pieces of a word, each with its number, the line's. What is no piece is left out. */
  cut(word: string): { piece: string; id: number }[] {
    const text = wordStart + foldLetters(word.slice(0, maxLetters)).slice(0, maxLetters)
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

/** Lower case; Latin letters without accents, which are often left out. */
export function foldLetters(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?<=[a-z])\p{M}+/gu, '')
    .normalize('NFC')
}
