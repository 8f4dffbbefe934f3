import { z } from 'zod'
import { parseUrl } from '../text/parse-url.js'
import { badConfiguration, readEnv, wholeNumber } from './env.js'
import type { FieldError } from './errors.js'

/** An HTTP server that turns texts into vectors. */
export interface HttpEmbedderConfig {
  /** `openai`: a server with OpenAI's `POST …/embeddings`; `ollama`: one with Ollama's `POST …/api/embed`. */
  kind: 'openai' | 'ollama'
  /** `EMBEDDER_URL`, without a trailing slash; default for ollama `http://localhost:11434`. */
  url: string
  /** `EMBEDDER_KEY`: sent as a bearer token; null: none. Secret. */
  key: string | null
  /** `EMBEDDER_MODEL`: the name of the model on the server. */
  model: string
  /** `EMBEDDER_REQUESTS_PER_MINUTE`: the requests of this process in any minute; null: no limit. */
  requestsPerMinute: number | null
}

/** A model in a local folder. */
interface OnnxEmbedderConfig {
  kind: 'onnx'
  /** `EMBEDDER_MODEL`: the folder with `model.onnx`, or `onnx/model.onnx`, and `tokenizer.json`. */
  folder: string
}

/** `EMBEDDER`: the source of the vectors of texts, default `built-in`; `off`: skills are found by their words only. */
export type EmbedderConfig = { kind: 'built-in' } | { kind: 'off' } | HttpEmbedderConfig | OnnxEmbedderConfig

const kinds = ['built-in', 'off', 'openai', 'ollama', 'onnx'] as const
type Kind = (typeof kinds)[number]

/** The kinds that read a variable. */
const usedBy = {
  EMBEDDER_URL: ['openai', 'ollama'],
  EMBEDDER_KEY: ['openai', 'ollama'],
  EMBEDDER_MODEL: ['openai', 'ollama', 'onnx'],
  EMBEDDER_REQUESTS_PER_MINUTE: ['openai', 'ollama'],
} as const satisfies Record<string, readonly Kind[]>
type Variable = keyof typeof usedBy

/** The address of a model's server. @param keyVariable where its key belongs */
export const serverAddress = (keyVariable: string, example: string) =>
  z
    .string()
    .refine((text) => /^https?:\/\/[^/]/.test(text) && parseUrl(text) !== null, `must look like ${example}`)
    .refine(
      (text) => `${parseUrl(text)?.username ?? ''}${parseUrl(text)?.password ?? ''}` === '',
      `must not contain a user or password: put the key into ${keyVariable}.`,
    )
    .refine((text) => !/[?#]/.test(text), 'must end with a path: remove everything from the first ? or #.')
    .transform((text) => text.replace(/\/+$/, ''))

/** The key of a server. A header can carry nothing else, and the error of fetch would quote it. */
export const serverKey = z.string().regex(/^[!-~]+$/, 'must be ASCII letters, digits and signs, without spaces')

const variables = {
  EMBEDDER: z.enum(kinds, { error: 'must be built-in, off, openai, ollama or onnx' }).optional(),
  EMBEDDER_URL: serverAddress('EMBEDDER_KEY', 'https://api.openai.com/v1 or http://localhost:11434').optional(),
  EMBEDDER_KEY: serverKey.optional(),
  EMBEDDER_MODEL: z.string().optional(),
  EMBEDDER_REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000).optional(),
}

/** @throws AppError `bad_configuration` whose message lists every bad, missing or superfluous variable */
export function readEmbedderConfig(env: NodeJS.ProcessEnv = process.env): EmbedderConfig {
  const read = readEnv(variables, env)
  const kind = read.EMBEDDER ?? 'built-in'
  const faults: FieldError[] = (Object.keys(usedBy) as Variable[]).flatMap((name) =>
    read[name] === undefined || usedBy[name].some((each) => each === kind)
      ? []
      : [{ parameter: name, message: remedyOf(name, read.EMBEDDER) }],
  )
  const required = (name: Variable, what: string): string => {
    if (read[name] === undefined) {
      faults.push({ parameter: name, message: `is required when EMBEDDER is ${kind}: ${what}` })
    }
    return String(read[name])
  }
  const config = ((): EmbedderConfig => {
    switch (kind) {
      case 'built-in':
      case 'off':
        return { kind }
      case 'onnx':
        return { kind, folder: required('EMBEDDER_MODEL', 'the folder with model.onnx and tokenizer.json.') }
      case 'openai':
      case 'ollama':
        return {
          kind,
          url:
            read.EMBEDDER_URL ??
            (kind === 'ollama'
              ? 'http://localhost:11434'
              : required('EMBEDDER_URL', 'the address before /embeddings, for instance https://api.openai.com/v1')),
          key: read.EMBEDDER_KEY ?? null,
          model: required('EMBEDDER_MODEL', 'the name of the model on the server.'),
          requestsPerMinute: read.EMBEDDER_REQUESTS_PER_MINUTE ?? null,
        }
    }
  })()
  if (faults.length > 0) {
    throw badConfiguration(faults)
  }
  return config
}

const remedyOf = (name: Variable, kind: Kind | undefined): string =>
  kind === undefined
    ? `is used only with EMBEDDER: set EMBEDDER to ${usedBy[name].join(' or ')}, or unset this variable.`
    : `is not used when EMBEDDER is ${kind}: unset it.`
