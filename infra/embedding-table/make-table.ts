// Makes the table of token vectors that the built-in embedder reads, from a model of sentences; see its README.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import { EigenvalueDecomposition, Matrix } from 'ml-matrix'
import { InferenceSession, Tensor } from 'onnxruntime-node'

/** Length of the vectors in the table. */
const dimensions = 256

/** Tokens that the model reads at a time. */
const tokensPerBatch = 1_024

const [modelFolder, tableFolder] = process.argv.slice(2)
if (modelFolder === undefined || tableFolder === undefined) {
  process.stderr.write('Usage: npx tsx infra/embedding-table/make-table.ts MODEL_FOLDER TABLE_FOLDER\n')
  process.exit(2)
}
const tokenizerText = readFileSync(join(modelFolder, 'tokenizer.json'), 'utf8')
const vocabulary = Object.keys((JSON.parse(tokenizerText) as { model: { vocab: object } }).model.vocab)
const tokenizer = new Tokenizer(JSON.parse(tokenizerText) as object, {})

const read = await vectorsOfTokens()
const rotated = mainComponents(centered(read))
const weighted = rotated.map((vector, token) => vector.map((value) => value * weightOf(token)))
mkdirSync(tableFolder, { recursive: true })
writeFileSync(join(tableFolder, 'vectors.i8'), toBytes(weighted))
writeFileSync(join(tableFolder, 'tokenizer.json'), tokenizerText)
process.stdout.write(`${weighted.length} tokens of ${dimensions} dimensions\n`)

/** What the model makes of each token alone: the mean of its output, of unit length. */
async function vectorsOfTokens(): Promise<number[][]> {
  const session = await InferenceSession.create(join(modelFolder ?? '', 'model.onnx'))
  const [start, end] = [tokenizer.token_to_id('[CLS]') ?? 0, tokenizer.token_to_id('[SEP]') ?? 0]
  const vectors: number[][] = []
  for (let from = 0; from < vocabulary.length; from += tokensPerBatch) {
    const tokens = vocabulary.slice(from, from + tokensPerBatch).map((_, place) => from + place)
    const shape = [tokens.length, 3]
    const whole = (values: number[]) => new Tensor('int64', BigInt64Array.from(values.map(BigInt)), shape)
    const output = await session.run({
      input_ids: whole(tokens.flatMap((token) => [start, token, end])),
      attention_mask: whole(tokens.flatMap(() => [1, 1, 1])),
      token_type_ids: whole(tokens.flatMap(() => [0, 0, 0])),
    })
    const { data, dims } = output[session.outputNames[0] ?? ''] as { data: Float32Array; dims: number[] }
    const width = dims[2] ?? 0
    for (let place = 0; place < tokens.length; place += 1) {
      const rows = [0, 1, 2].map((row) => data.subarray((3 * place + row) * width, (3 * place + row + 1) * width))
      const sum = Array.from({ length: width }, (_, at) => rows.reduce((total, row) => total + (row[at] ?? 0), 0))
      const length = Math.hypot(...sum)
      vectors.push(sum.map((value) => value / length))
    }
  }
  return vectors
}

function centered(vectors: number[][]): number[][] {
  const mean = (vectors[0] ?? []).map(
    (_, at) => vectors.reduce((sum, vector) => sum + (vector[at] ?? 0), 0) / vectors.length,
  )
  return vectors.map((vector) => vector.map((value, at) => value - (mean[at] ?? 0)))
}

/** The vectors in the directions in which they differ most. */
function mainComponents(vectors: number[][]): number[][] {
  const matrix = new Matrix(vectors)
  const covariance = matrix.transpose().mmul(matrix)
  const { eigenvectorMatrix } = new EigenvalueDecomposition(covariance, { assumeSymmetric: true })
  // Ascending by their share: the last ones come first.
  const order = Array.from({ length: dimensions }, (_, at) => covariance.columns - 1 - at)
  return matrix.mmul(eigenvectorMatrix.subMatrixColumn(order)).to2DArray()
}

/**
 * How much a token counts in a text: the vocabulary is in the order of frequency, so that by Zipf's law the place of a
 * token stands for its frequency. Punctuation and the tokens of the model itself do not count.
 */
function weightOf(token: number): number {
  const text = vocabulary[token] ?? ''
  return /^\[.+\]$/.test(text) || !/[\p{L}\p{N}]/u.test(text) ? 0 : Math.log(token + 2) ** 2
}

/** All values in one scale, as 8-bit integers. */
function toBytes(vectors: number[][]): Int8Array {
  const largest = vectors.reduce((max, vector) => Math.max(max, ...vector.map(Math.abs)), 0)
  return Int8Array.from(vectors.flat(), (value) => Math.round((value / largest) * 127))
}
