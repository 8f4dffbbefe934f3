// Makes the table of token vectors that the built-in embedder reads, from a model of sentences and texts; see its README.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EigenvalueDecomposition, Matrix } from 'ml-matrix'
import { Pieces, wordsOf } from '../../shared/embedding/built-in-embedder.js'
import { Teacher } from './teacher.js'
import { addTimes, dot, type Lesson, shuffle, trainTable } from './train-table.js'
import { readTrainingTexts } from './training-texts.js'
import { chooseVocabulary, readPieces, scoreOf } from './vocabulary.js'

/** Length of the vectors in the table. */
const dimensions = 256
/** Records come twice in a pass. More passes follow the texts too closely: they find less of what is new. */
const training = { passes: 2, rate: 0.02, seed: 1 }
/** What one pass has of the other texts, so that they do not outweigh the records. */
const lessonsOf = { english: 90_000, eachLanguage: 8_000 }
/** Tokens of a text that count. */
const maxTokens = 128

const [modelFolder, piecesFile, tableFolder, ...files] = process.argv.slice(2)
if (modelFolder === undefined || piecesFile === undefined || tableFolder === undefined || files.length === 0) {
  process.stderr.write('Usage: npx tsx infra/embedding-table/make-table.ts MODEL_FOLDER PIECES TABLE_FOLDER FILE...\n')
  process.exit(2)
}
const random = randomNumbers(training.seed)
const teacher = await Teacher.open(modelFolder)
const texts = readTrainingTexts(files, (sentences) => shuffle(sentences, random))
const vocabulary = chooseVocabulary({ pieces: readPieces(piecesFile), words: teacher.words }, texts)
const pieces = new Pieces(vocabulary)
const tokensOfWords = new Map<string, number[]>()
const ofRecords = await teacher.read(texts.records)
const ofEnglish = await teacher.read(texts.english)
const directions = mainDirections(ofRecords)
const targets = new Map<string, Float32Array>()
for (const [list, vectors] of [[texts.english, ofEnglish] as const, [texts.records, ofRecords] as const]) {
  for (const [at, vector] of vectors.entries()) {
    targets.set(list[at] ?? '', turned(vector))
  }
}
shuffle(texts.english, random)
shuffle(texts.translations, random)
const inEnglish = [...texts.records, ...texts.records, ...texts.english.slice(0, lessonsOf.english)].map((english) =>
  lesson(english, english),
)
const perLanguage = new Map<string, number>()
const translated = texts.translations
  .filter(({ language }) => {
    const count = (perLanguage.get(language) ?? 0) + 1
    perLanguage.set(language, count)
    return count <= lessonsOf.eachLanguage
  })
  .map(({ text, english }) => lesson(text, english))

const table = await startOf(
  inEnglish,
  texts.translations.map(({ text, english }) => lesson(text, english)),
)
const lessons = [...inEnglish, ...translated].filter(({ tokens }) => tokens.length > 0)
trainTable(table, dimensions, lessons, { ...training, random })
mkdirSync(tableFolder, { recursive: true })
writeFileSync(join(tableFolder, 'vectors.i8'), toBytes(table))
writeFileSync(join(tableFolder, 'pieces.tsv'), `${vocabulary.join('\n')}\n`)
writeFileSync(join(tableFolder, 'trained-on.tsv'), sourcesOf(texts.sources))
process.stdout.write(`${vocabulary.length} pieces of ${dimensions} dimensions, ${lessons.length} lessons\n`)

function lesson(text: string, english: string): Lesson {
  const target = targets.get(english) ?? new Float32Array(dimensions)
  return { tokens: Uint32Array.from([...wordsOf(text)].flatMap(tokensOf).slice(0, maxTokens)), target }
}

function tokensOf(word: string): number[] {
  const tokens = tokensOfWords.get(word) ?? pieces.cut(word).map(({ id }) => id)
  tokensOfWords.set(word, tokens)
  return tokens
}

/** The directions in which the vectors differ most (principal components). */
function mainDirections(vectors: Float32Array[]): Float32Array[] {
  const matrix = new Matrix(vectors.slice(0, 10_000)).center('column')
  const covariance = matrix.transpose().mmul(matrix)
  const { eigenvectorMatrix } = new EigenvalueDecomposition(covariance, { assumeSymmetric: true })
  // Ascending by their share: the last ones come first.
  return Array.from({ length: dimensions }, (_, at) =>
    Float32Array.from(eigenvectorMatrix.getColumn(covariance.columns - 1 - at)),
  )
}

/** The vector in the main directions, of unit length. */
function turned(vector: Float32Array): Float32Array {
  return unit(Float32Array.from(directions, (direction) => dot(direction, vector)))
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  return length === 0 ? vector : vector.map((value) => value / length)
}

/**
 * The table before it is trained. Pieces that English has start as the model's vectors of them alone, the others as the
 * mean of the texts that they are translated from, both without what all have in common. The likelier a piece, the less
 * it says.
 */
async function startOf(english: Lesson[], foreign: Lesson[]): Promise<Float32Array> {
  const start = new Float32Array(vocabulary.length * dimensions)
  const common = meanOf([...targets.values()])
  const counts = { english: new Uint32Array(vocabulary.length), foreign: new Uint32Array(vocabulary.length) }
  for (const { tokens } of english) {
    for (const token of tokens) {
      counts.english[token] = Number(counts.english[token]) + 1
    }
  }
  for (const { tokens, target } of foreign) {
    for (const token of tokens) {
      counts.foreign[token] = Number(counts.foreign[token]) + 1
      addTimes(start, token * dimensions, target, 0, 1, dimensions)
      addTimes(start, token * dimensions, common, 0, -1, dimensions)
    }
  }
  const names = vocabulary.map((line) => line.split('\t')[0] ?? '')
  const own = [...names.keys()].filter(
    (id) =>
      /^▁?[a-z0-9]+$/.test(names[id] ?? '') && (Number(counts.english[id]) >= 2 || Number(counts.foreign[id]) < 3),
  )
  const ofPieces = await teacher.read(own.map((id) => names[id]?.replace('▁', '') ?? ''))
  const commonOfPieces = meanOf(ofPieces)
  for (const [at, id] of own.entries()) {
    const vector = ofPieces[at]?.map((value, place) => value - Number(commonOfPieces[place]))
    start.set(turned(vector ?? new Float32Array()), id * dimensions)
  }
  const weights = vocabulary.map((line) => Math.max(0, -scoreOf(line) - 2) ** 2)
  const usual = weights.reduce((sum, weight) => sum + weight / weights.length, 0)
  for (const [id, weight] of weights.entries()) {
    const vector = start.subarray(id * dimensions, (id + 1) * dimensions)
    vector.set(unit(vector).map((value) => (value * weight) / usual))
  }
  return start
}

function meanOf(vectors: Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) {
    addTimes(sum, 0, vector, 0, 1 / vectors.length)
  }
  return sum
}

/** All values in one scale, as 8-bit integers. */
function toBytes(values: Float32Array): Int8Array {
  const largest = values.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  return Int8Array.from(values, (value) => Math.round((value / largest) * 127))
}

function sourcesOf(sources: Map<string, number>): string {
  const lines = [...sources].filter(([, count]) => count > 0).map(([source, count]) => `${source}\t${count}\n`)
  return ['source\tlicense\ttexts\n', ...lines.toSorted()].join('')
}

/** Numbers from 0 to below 1, by a linear congruential generator (Numerical Recipes). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
