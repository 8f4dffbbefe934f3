import { readFileSync } from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'
import type { InferenceSession, Tensor } from 'onnxruntime-common'
import { unitVector } from '../../embedding/built-in-embedder.js'
import { embedderRefused } from './batches.js'
import type { OnnxFolder } from './onnx-folder.js'

type Runtime = typeof import('onnxruntime-node')

/** The inputs that are filled; another one cannot be. */
const knownInputs = ['input_ids', 'attention_mask', 'token_type_ids']
/** An output that is one vector for each text already. */
const pooledOutput = 'sentence_embedding'
/** Leaves the other processors to searches. */
const threads = 2
/** The version that the tests run with. It is not in package.json: of 288 MB, most installations need none. */
export const runtimeVersion = '1.30.0'

/** A sentence model in the ONNX format. Its methods block the thread: it belongs into one of its own. */
export class OnnxModel {
  readonly #runtime: Runtime
  readonly #session: InferenceSession
  readonly #tokenizer: Tokenizer
  readonly #folder: OnnxFolder
  readonly #output: InferenceSession.TensorValueMetadata
  /** Special tokens at the end of each text. */
  readonly #endTokens: number

  private constructor(runtime: Runtime, session: InferenceSession, tokenizer: Tokenizer, folder: OnnxFolder) {
    this.#runtime = runtime
    this.#session = session
    this.#tokenizer = tokenizer
    this.#folder = folder
    this.#output = outputOf(session, folder)
    this.#endTokens = countEndTokens(tokenizer)
  }

  /** @throws AppError `embedder_refused` when the runtime is missing or does not take the model */
  static async load(folder: OnnxFolder): Promise<OnnxModel> {
    const runtime = await importRuntime(() => import('onnxruntime-node'))
    try {
      const session = await runtime.InferenceSession.create(folder.modelFile, {
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        // The runtime's threads would spin while they wait for work, on processors that searches need.
        extra: { session: { intra_op: { allow_spinning: '0' } } },
        // The runtime's warnings are for the makers of models.
        logSeverityLevel: 3,
      })
      const { tokenizerFile, tokenizerConfigFile } = folder
      const config = tokenizerConfigFile === null ? {} : readJson(tokenizerConfigFile)
      return new OnnxModel(runtime, session, new Tokenizer(readJson(tokenizerFile), config), folder)
    } catch (error) {
      throw embedderRefused(
        `The model ${folder.modelFile} cannot be used (${error instanceof Error ? error.message : error}): choose a ` +
          'sentence model in the ONNX format.',
        error,
      )
    }
  }

  /** The vectors of texts, one after the other, of unit length. */
  async embed(texts: string[]): Promise<Float32Array> {
    const tokens = texts.map((text) => this.#tokensOf(text))
    const width = Math.max(...tokens.map(({ length }) => length))
    const shape = [texts.length, width]
    const ids = new BigInt64Array(texts.length * width)
    const mask = new BigInt64Array(ids.length)
    for (const [row, ofText] of tokens.entries()) {
      for (const [column, id] of ofText.entries()) {
        ids[row * width + column] = BigInt(id)
        mask[row * width + column] = 1n
      }
    }
    const tensors: Record<string, BigInt64Array> = {
      input_ids: ids,
      attention_mask: mask,
      token_type_ids: new BigInt64Array(ids.length),
    }
    const feeds = this.#session.inputNames.map((name) => [
      name,
      new this.#runtime.Tensor('int64', tensors[name] ?? ids, shape),
    ])
    const { name } = this.#output
    const found = await this.#session.run(Object.fromEntries(feeds), [name])
    return this.#pool(found[name], tokens)
  }

  /** The vector of each text from those of its tokens. */
  #pool(output: Tensor | undefined, tokens: number[][]): Float32Array {
    const data = output?.data
    const dimensions = output?.dims.at(-1)
    if (!(data instanceof Float32Array) || dimensions === undefined) {
      throw embedderRefused('The model does not answer with 32-bit floats: choose another one.')
    }
    const isPooled = output?.dims.length === 2
    const width = data.length / (tokens.length * dimensions)
    const vectors = new Float32Array(tokens.length * dimensions)
    for (const [row, { length }] of tokens.entries()) {
      const counted = isPooled || this.#folder.pooling === 'cls' ? 1 : length
      const sum = new Float64Array(dimensions)
      for (let column = 0; column < counted; column += 1) {
        const start = (row * width + column) * dimensions
        for (let at = 0; at < dimensions; at += 1) {
          sum[at] = Number(sum[at]) + Number(data[start + at])
        }
      }
      const vector = unitVector(sum)
      if (vector === null) {
        throw embedderRefused('The model answers with numbers that are not finite: choose another one.')
      }
      vectors.set(vector, row * dimensions)
    }
    return vectors
  }

  /** At most `maxTokens`, with the special ones. */
  #tokensOf(text: string): number[] {
    const { ids } = this.#tokenizer.encode(text)
    const { maxTokens } = this.#folder
    return ids.length <= maxTokens
      ? ids
      : [...ids.slice(0, maxTokens - this.#endTokens), ...ids.slice(ids.length - this.#endTokens)]
  }
}

/**
 * Imports the package, which is no dependency.
 *
 * @throws AppError `embedder_refused` when it is not installed
 */
export async function importRuntime(load: () => Promise<Runtime>): Promise<Runtime> {
  try {
    // Node does not find every export of a CommonJS package by name; `default` has all.
    const runtime: Runtime & { default?: Runtime } = await load()
    return runtime.default ?? runtime
  } catch (error) {
    const reason = Object(error).code ?? error
    throw embedderRefused(
      `EMBEDDER is onnx, which needs the package onnxruntime-node, and it cannot be loaded (${reason}): run npm install ` +
        `--no-save --ignore-scripts onnxruntime-node@${runtimeVersion}`,
      error,
    )
  }
}

/** The output with the vectors of the texts, or else with those of the tokens. */
function outputOf({ inputNames, outputMetadata }: InferenceSession, { modelFile }: OnnxFolder) {
  const unknown = inputNames.filter((name) => !knownInputs.includes(name))
  if (unknown.length > 0) {
    throw new Error(`it has further inputs: ${unknown.join(', ')}`)
  }
  const outputs = outputMetadata.flatMap((output) => (output.isTensor ? [output] : []))
  const output = outputs.find(({ name }) => name === pooledOutput) ?? outputs.find(({ shape }) => shape.length === 3)
  if (output === undefined) {
    throw new Error(`no output of ${modelFile} has vectors of texts or tokens`)
  }
  return output
}

/** The number of special tokens at the end of a text, counted on one word. */
function countEndTokens(tokenizer: Tokenizer): number {
  const { ids } = tokenizer.encode('a')
  const { ids: own } = tokenizer.encode('a', { add_special_tokens: false })
  return ids.length - ids.lastIndexOf(Number(own.at(-1))) - 1
}

const readJson = (file: string): object => JSON.parse(readFileSync(file, 'utf8')) as object
