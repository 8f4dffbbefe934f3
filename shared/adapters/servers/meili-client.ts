import { type Config, Meilisearch, MeilisearchApiError, MeilisearchError, MeilisearchRequestError } from 'meilisearch'
import { AppError, operatorError, unavailable } from '../../errors.js'
import { keepAliveHttp } from './meili-http.js'

/** A search that takes longer than this has failed its reader. */
const readTimeoutMs = 5_000

/** A batch of documents is sent within this time, over a slow line too. */
const writeTimeoutMs = 60_000

/** The connections to one Meilisearch: searches give up soon, writes are given time. */
export interface MeiliClients {
  reader: Meilisearch
  writer: Meilisearch
}

/**
 * @param options.url of the server
 * @param options.key API key; null where the server asks for none
 */
export function meiliClients({ url, key }: { url: string; key: string | null }): MeiliClients {
  const client = (timeout: number, options: Partial<Config> = {}) =>
    new Meilisearch({
      host: url,
      ...(key === null ? {} : { apiKey: key }),
      timeout,
      // Asked for gzip, as fetch does by itself, Meilisearch answers in chunks that on a local connection arrive some
      // 40 ms later each.
      requestInit: { headers: { 'Accept-Encoding': 'identity' } },
      ...options,
    })
  return { reader: client(readTimeoutMs, { httpClient: keepAliveHttp() }), writer: client(writeTimeoutMs) }
}

/** Meilisearch's own code for what it refused, for instance `index_not_found`; null for any other error. */
export const refusalCode = (error: unknown): string | null => {
  const refused = error instanceof MeilisearchRequestError ? error.cause : error
  return refused instanceof MeilisearchApiError ? (refused.cause?.code ?? null) : null
}

/** Whether a request failed, not we: the client reads every answer as JSON, which a proxy's page for people is not. */
export const isFromServer = (error: unknown): boolean =>
  error instanceof MeilisearchError || error instanceof SyntaxError

/**
 * Does `work`, and says in the catalog's words what the client throws.
 *
 * @throws AppError `search_unavailable` (503), or an operator's message when the key is refused
 */
export async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError || !isFromServer(error)) {
      throw error
    }
    const code = refusalCode(error)
    if (code === 'invalid_api_key' || code === 'missing_authorization_header') {
      throw operatorError('search_key_refused', 'Meilisearch refuses the key that it is given: check MEILI_KEY.', error)
    }
    throw code === 'index_not_found' ? beingPrepared(error) : noAnswer(error)
  }
}

/** 503: there is no such index, or not yet. */
export const beingPrepared = (cause?: unknown): AppError =>
  unavailable('search_unavailable', 'The search index is being prepared. Try again in a moment.', 5, cause)

/** 503: the server cannot be reached, or did not do what it was asked for. */
export const noAnswer = (cause: unknown): AppError =>
  unavailable('search_unavailable', 'The search index does not answer. Try again in a moment.', 5, cause)
