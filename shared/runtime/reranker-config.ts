import { z } from 'zod'
import { serverAddress, serverKey } from './embedder-config.js'
import { badConfiguration, readEnv, wholeNumber } from './env.js'

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

const variables = {
  RERANKER_URL: serverAddress('RERANKER_KEY', 'http://localhost:8080/v1').optional(),
  RERANKER_MODEL: z.string().optional(),
  RERANKER_KEY: serverKey.optional(),
  RERANKER_TIME_LIMIT_MS: wholeNumber(10, 4_000).optional(),
}

/** Null: none is used. @throws AppError `bad_configuration` whose message lists every bad, missing or superfluous variable */
export function readRerankerConfig(env: NodeJS.ProcessEnv = process.env): RerankerConfig | null {
  const { RERANKER_URL: url, ...rest } = readEnv(variables, env)
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
