import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { type Config, Meilisearch, MeilisearchApiError, MeilisearchError, MeilisearchRequestError } from 'meilisearch'
import { AppError, operatorError, unavailable } from '../../../runtime/errors.js'

/** For searches and status requests. */
const readTimeoutMs = 5_000

/** A batch of documents takes less than this, over a slow connection too. */
const writeTimeoutMs = 60_000

/** An idle connection is closed after this time, before the server or a proxy closes it. */
const idleTimeoutMs = 15_000

/** Clients of one Meilisearch, with different timeouts. */
export interface MeiliClients {
  reader: Meilisearch
  writer: Meilisearch
}

/**
 * @param options.url of the server
 * @param options.key API key; null when the server requires none
 */
export function meiliClients({ url, key }: { url: string; key: string | null }): MeiliClients {
  const client = (timeout: number, options: Partial<Config> = {}) =>
    new Meilisearch({
      host: url,
      ...(key === null ? {} : { apiKey: key }),
      timeout,
      // With gzip, the default of fetch, Meilisearch responds in chunks, each of which takes some 40 ms on a local
      // connection.
      requestInit: { headers: { 'Accept-Encoding': 'identity' } },
      ...options,
    })
  return { reader: client(readTimeoutMs, { httpClient: keepAliveHttp() }), writer: client(writeTimeoutMs) }
}

type HttpClient = NonNullable<Config['httpClient']>

/**
 * An HTTP client with keep-alive connections of node:http: a search through `fetch` takes this process twice the time.
 *
 * @throws MeilisearchApiError when the server refuses the request; the Meilisearch client wraps it
 */
function keepAliveHttp(): HttpClient {
  const options = { keepAlive: true, timeout: idleTimeoutMs }
  const http = { request: requestHttp, agent: new HttpAgent(options) }
  const https = { request: requestHttps, agent: new HttpsAgent(options) }

  const send = (url: URL, init: RequestInit): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { request, agent } = url.protocol === 'https:' ? https : http
      const headers = Object.fromEntries(new Headers(init.headers))
      const signal = init.signal ?? undefined
      const sent = request(url, { agent, method: init.method, headers, signal }, resolve)
      sent.on('error', (error: NodeJS.ErrnoException) => {
        if (signal?.aborted) {
          reject(signal.reason)
        } else if (sent.reusedSocket && error.code === 'ECONNRESET') {
          // The server closed the idle connection before it received the request.
          send(url, init).then(resolve, reject)
        } else {
          reject(error)
        }
      })
      sent.end(init.body)
    })

  return async (input, init = {}) => {
    const response = await send(new URL(input instanceof Request ? input.url : input), init)
    const body = await text(response)
    const parsed = body === '' ? undefined : JSON.parse(body)
    const status = response.statusCode ?? 0
    if (status < 200 || status > 299) {
      throw new MeilisearchApiError(new Response(null, { status }), parsed)
    }
    return parsed
  }
}

/** The code of an error of Meilisearch, for instance `index_not_found`; null for any other error. */
export const refusalCode = (error: unknown): string | null => {
  const refused = error instanceof MeilisearchRequestError ? error.cause : error
  return refused instanceof MeilisearchApiError ? (refused.cause?.code ?? null) : null
}

/** Whether the server or a proxy caused the error: the client parses every response as JSON, also HTML of a proxy. */
export const isFromServer = (error: unknown): boolean =>
  error instanceof MeilisearchError || error instanceof SyntaxError

/**
 * Translates the client's errors.
 *
 * @throws AppError `search_unavailable` (503), or an operator's message when the key is refused
 */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError || !isFromServer(error)) {
      throw error
    }
    const code = refusalCode(error)
    if (code === 'invalid_api_key' || code === 'missing_authorization_header') {
      throw operatorError('search_key_refused', 'Meilisearch refuses the key: check MEILI_KEY.', error)
    }
    throw code === 'index_not_found' ? beingPrepared(error) : noAnswer(error)
  }
}

/** 503: the index does not exist yet. */
export const beingPrepared = (cause?: unknown): AppError =>
  unavailable('search_unavailable', 'The search index is being built. Try again in a moment.', 5, cause)

/** 503: the server is unreachable, or a request failed. */
export const noAnswer = (cause: unknown): AppError =>
  unavailable('search_unavailable', 'The search index is unavailable. Try again in a moment.', 5, cause)
