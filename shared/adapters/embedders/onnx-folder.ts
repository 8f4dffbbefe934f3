import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { TextPurpose } from '../../ports/embedder.js'
import { embedderRefused } from './batches.js'

/** A model and what its folder says of its use; plain data, for a thread. */
export interface OnnxFolder {
  modelFile: string
  tokenizerFile: string
  /** Null: there is none. */
  tokenizerConfigFile: string | null
  /** How the vectors of the tokens become one: their mean, or that of the first token. */
  pooling: 'mean' | 'cls'
  /** Longer texts are cut, in tokens with the special ones. */
  maxTokens: number
  /** Written before each text. */
  prompts: Record<TextPurpose, string>
  /** SHA-256 (hex) of all that the vectors depend on. */
  digest: string
}

/** The positions that BERT and its descendants have. */
const maxTokens = 512

/** https://github.com/huggingface/tokenizers: `tokenizer.json`. */
const Tokenizer = z.object({ truncation: z.object({ max_length: z.int().min(3) }).nullish() })
const TokenizerConfig = z.object({ model_max_length: z.number().min(3).optional() })
/** https://sbert.net/docs/package_reference/sentence_transformer/models.html#sentence_transformers.models.Pooling */
const Pooling = z.object({
  pooling_mode_cls_token: z.boolean().optional(),
  pooling_mode_mean_tokens: z.boolean().optional(),
})
/** https://sbert.net/examples/sentence_transformer/applications/computing-embeddings/README.html#prompt-templates */
const Prompts = z.object({
  prompts: z.object({ query: z.string(), document: z.string(), passage: z.string() }).partial().optional(),
})

/**
 * Reads a folder as Hugging Face publishes models: `model.onnx` or `onnx/model.onnx`, `tokenizer.json`, and if they are
 * there `tokenizer_config.json`, `1_Pooling/config.json` and `config_sentence_transformers.json`.
 *
 * @throws AppError `embedder_refused` when a file is missing or not understood
 */
export async function readOnnxFolder(folder: string): Promise<OnnxFolder> {
  const find = (...names: string[]) => names.map((name) => join(folder, name)).find((file) => existsSync(file))
  const modelFile = find('model.onnx', 'onnx/model.onnx')
  const tokenizerFile = find('tokenizer.json')
  if (modelFile === undefined || tokenizerFile === undefined) {
    throw embedderRefused(
      `The folder ${folder} has no ${modelFile === undefined ? 'model.onnx or onnx/model.onnx' : 'tokenizer.json'}: ` +
        'set EMBEDDER_MODEL to the folder of a model in the ONNX format with its tokenizer.json.',
    )
  }
  const tokenizerConfigFile = find('tokenizer_config.json')
  const poolingFile = find('1_Pooling/config.json')
  const promptsFile = find('config_sentence_transformers.json')
  const { truncation } = readJson(tokenizerFile, Tokenizer)
  const { model_max_length } = readJson(tokenizerConfigFile, TokenizerConfig)
  const { prompts = {} } = readJson(promptsFile, Prompts)
  return {
    modelFile,
    tokenizerFile,
    tokenizerConfigFile: tokenizerConfigFile ?? null,
    pooling: poolingFile === undefined ? 'mean' : readPooling(poolingFile),
    maxTokens: Math.min(maxTokens, truncation?.max_length ?? maxTokens, model_max_length ?? maxTokens),
    prompts: { query: prompts.query ?? '', document: prompts.document ?? prompts.passage ?? '' },
    // The weights of a large model are in a file of their own.
    digest: await digestOf([
      modelFile,
      find('model.onnx_data', 'onnx/model.onnx_data'),
      tokenizerFile,
      tokenizerConfigFile,
      poolingFile,
      promptsFile,
    ]),
  }
}

function readPooling(file: string): OnnxFolder['pooling'] {
  const { pooling_mode_cls_token, pooling_mode_mean_tokens } = readJson(file, Pooling)
  if (pooling_mode_cls_token !== true && pooling_mode_mean_tokens !== true) {
    throw embedderRefused(`${file} asks for another pooling than mean or cls: use another model.`)
  }
  return pooling_mode_cls_token === true ? 'cls' : 'mean'
}

/** @param file undefined: counts as an empty object */
function readJson<Schema extends z.ZodType>(file: string | undefined, schema: Schema): z.output<Schema> {
  try {
    return schema.parse(file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : []
    const reason = issue === undefined ? String(error) : [...issue.path, issue.message].join(': ')
    throw embedderRefused(`${file} is not understood (${reason}): get the files of the model again.`, error)
  }
}

async function digestOf(files: (string | undefined)[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) {
    if (file !== undefined) {
      for await (const part of createReadStream(file)) {
        hash.update(part)
      }
    }
  }
  return hash.digest('hex')
}
