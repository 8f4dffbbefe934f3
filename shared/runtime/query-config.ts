import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { parseUrl } from '../text/parse-url.js'
import { badConfiguration, hostName, readEnv, readGroups, wholeNumber } from './env.js'
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
const serverAddress = (keyVariable: string, example: string) =>
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
const serverKey = z.string().regex(/^[!-~]+$/, 'must be ASCII letters, digits and signs, without spaces')

const embedderVariables = {
  EMBEDDER: z.enum(kinds, { error: 'must be built-in, off, openai, ollama or onnx' }).optional(),
  EMBEDDER_URL: serverAddress('EMBEDDER_KEY', 'https://api.openai.com/v1 or http://localhost:11434').optional(),
  EMBEDDER_KEY: serverKey.optional(),
  EMBEDDER_MODEL: z.string().optional(),
  EMBEDDER_REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000).optional(),
}

/** @throws AppError `bad_configuration` whose message lists every bad, missing or superfluous variable */
export function readEmbedderConfig(env: NodeJS.ProcessEnv = process.env): EmbedderConfig {
  const read = readEnv(embedderVariables, env)
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

/** A server that says how well texts fit a query. */
export interface RerankerConfig {
  /** `RERANKER_URL`, without a trailing slash: the address before `/rerank`. */
  url: string
  /** `RERANKER_MODEL`: the name of the model on the server. */
  model: string
  /** `RERANKER_KEY`: sent as a bearer token; null: none. Secret. */
  key: string | null
  /** `RERANKER_TIME_LIMIT_MS`, default 500: a search waits no longer for it. */
  timeLimitMs: number
}

const rerankerVariables = {
  RERANKER_URL: serverAddress('RERANKER_KEY', 'http://localhost:8080/v1').optional(),
  RERANKER_MODEL: z.string().optional(),
  RERANKER_KEY: serverKey.optional(),
  RERANKER_TIME_LIMIT_MS: wholeNumber(10, 4_000).optional(),
}

/** Null: none is used. @throws AppError `bad_configuration` whose message lists every bad, missing or superfluous variable */
export function readRerankerConfig(env: NodeJS.ProcessEnv = process.env): RerankerConfig | null {
  const { RERANKER_URL: url, ...rest } = readEnv(rerankerVariables, env)
  const { RERANKER_MODEL: model, RERANKER_KEY: key = null, RERANKER_TIME_LIMIT_MS: timeLimitMs = 500 } = rest
  if (url === undefined) {
    const given = Object.entries(rest).filter(([, value]) => value !== undefined)
    if (given.length > 0) {
      const message = 'is used only with RERANKER_URL: set that, or unset this variable.'
      throw badConfiguration(given.map(([parameter]) => ({ parameter, message })))
    }
    return null
  }
  if (model === undefined) {
    const message = 'is required with RERANKER_URL: the name of the model on the server.'
    throw badConfiguration([{ parameter: 'RERANKER_MODEL', message }])
  }
  return { url, model, key, timeLimitMs }
}

/** The configuration of the query service. */
export interface QueryConfig {
  /** `HOST`, default `127.0.0.1`: the address to listen on; `0.0.0.0` or `::` for every network interface. */
  host: string
  /** `PORT`, default `3000`; `0` takes any free one. */
  port: number
  /** `PUBLIC_URL`: the origin under which clients reach the service, without a final `/`; null: the request's own. */
  publicUrl: string | null
  /** `TRUSTED_PROXIES`, default `0`: number of proxies in front of the service that append to `X-Forwarded-For`. */
  trustedProxies: number
  /** `RATE_LIMIT_PER_MINUTE`, default `100`: requests per client address in any minute. */
  rateLimitPerMinute: number
  /** `EXPORT_RATE_LIMIT_PER_MINUTE`, default `10`: downloads per client address in any minute. */
  exportRateLimitPerMinute: number
  /** `DATASET_RATE_LIMIT_PER_MINUTE`, default `1,000`: requests for files of datasets per client address in any minute. */
  datasetRateLimitPerMinute: number
  /**
   * `EXPORT_CACHE_DIR`, default `skill-catalog-exports` in the system's temporary folder: where a query service on
   * servers keeps its copy of the export files. Several processes may share it.
   */
  exportCacheDir: string
  /** `RERANKER_URL` and the variables that begin with it: puts the first hits of searches in order; null: none does. */
  reranker: RerankerConfig | null
}

/** @throws AppError `bad_configuration` whose message lists every bad variable */
export function readQueryConfig(env: NodeJS.ProcessEnv = process.env): QueryConfig {
  const { reranker, read } = readGroups({ reranker: readRerankerConfig, read: readOwn }, env)
  if (read.PORT !== 0 && read.PORT === Number(env['METRICS_PORT'])) {
    throw badConfiguration([{ parameter: 'METRICS_PORT', message: `"${read.PORT}" must be another port than PORT` }])
  }
  return {
    host: read.HOST,
    port: read.PORT,
    publicUrl: read.PUBLIC_URL ?? null,
    trustedProxies: read.TRUSTED_PROXIES,
    rateLimitPerMinute: read.RATE_LIMIT_PER_MINUTE,
    exportRateLimitPerMinute: read.EXPORT_RATE_LIMIT_PER_MINUTE,
    datasetRateLimitPerMinute: read.DATASET_RATE_LIMIT_PER_MINUTE,
    exportCacheDir: read.EXPORT_CACHE_DIR,
    reranker,
  }
}

const readOwn = (env: NodeJS.ProcessEnv) =>
  readEnv(
    {
      HOST: hostName,
      PORT: wholeNumber(0, 65_535).default(3_000),
      PUBLIC_URL: z
        .string()
        .regex(/^https?:\/\/[^/?#@\s]+\/?$/, 'must look like https://skills.example.org')
        .refine((text) => parseUrl(text) !== null, 'must look like https://skills.example.org')
        .transform((text) => new URL(text).origin)
        .optional(),
      TRUSTED_PROXIES: wholeNumber(0, 20).default(0),
      RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000).default(100),
      EXPORT_RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000).default(10),
      DATASET_RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000).default(1_000),
      EXPORT_CACHE_DIR: z.string().default(join(tmpdir(), 'skill-catalog-exports')),
    },
    env,
  )
