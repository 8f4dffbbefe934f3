import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { parseUrl } from '../text/parse-url.js'
import { hostName, readEnv, readGroups, wholeNumber } from './env.js'
import { type RerankerConfig, readRerankerConfig } from './reranker-config.js'

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
