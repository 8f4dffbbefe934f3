import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import {
  type Config,
  Meilisearch,
  MeilisearchApiError,
  MeilisearchError,
  MeilisearchRequestError,
  type SearchParams,
  type SearchResponse,
} from 'meilisearch'
import { AppError, indexBeingBuilt, operatorError, unavailable } from '../../../runtime/errors.js'
import type { Logger } from '../../../runtime/log.js'
import type { MeiliDocument } from './documents.js'
import { wordAttributes } from './settings.js'

/** A batch of documents takes less than this, over a slow connection too. */
const writeTimeoutMs = 60_000

/** An idle connection is closed after this time, before the server or a proxy closes it. */
const idleTimeoutMs = 15_000

/**
 * Clients of one Meilisearch, with different timeouts.
 *
 * @param key API key; null when the server requires none
 * @param readTimeoutMs for each search or status request
 */
export function meiliClients(url: string, key: string | null, readTimeoutMs = 5_000) {
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
    throw isOfOtherIndex(code) ? indexBeingBuilt(error) : noAnswer(error)
  }
}

/** Whether another server may do what this one did not. */
export const isOutage = (error: unknown): error is AppError =>
  error instanceof AppError && ['search_unavailable', 'search_key_refused'].includes(error.code)

/** Whether the index does not exist yet, or an earlier version has built it, without what is asked for. */
const isOfOtherIndex = (code: string | null): boolean =>
  code === 'index_not_found' || /^invalid_search_(?:filter|sort|facets|attributes_to_search_on)$/.test(code ?? '')

/** Whether an outage is only that the index is to be built: see `indexBeingBuilt`. */
const isBeingPrepared = ({ cause }: AppError): boolean => cause === undefined || isOfOtherIndex(refusalCode(cause))

/** 503: the server is unreachable, or a request failed. */
export const noAnswer = (cause: unknown): AppError =>
  unavailable('search_unavailable', 'The search index is unavailable. Try again in a moment.', 5, cause)

/** For this long after a failure jobs leave one of several servers alone; a failure within it is the same outage. */
const failingMs = 10_000

/** Watches the calls of a server, and logs each outage of one of several once when it begins and once when it is over. */
export class Outage {
  readonly #server: { address: string; log: Logger } | null
  /** Times of the first and of the last failure, by the monotonic clock; null: it answers. */
  #failed: { firstMs: number; lastMs: number } | null = null

  /** @param server null: it is the only one, whose failures are those of the callers */
  constructor(server: { address: string; log: Logger } | null) {
    this.#server = server
  }

  get isRecent(): boolean {
    return this.#failed !== null && performance.now() - this.#failed.lastMs < failingMs
  }

  /** The same methods, each call of which is watched. */
  watching<T extends object>(methods: T): T {
    const watched = Object.entries(methods).map(([name, method]) => [
      name,
      (...args: unknown[]) => this.#watch(() => method(...args)),
    ])
    return Object.fromEntries(watched) as T
  }

  /** @throws AppError as `translated` */
  async #watch<T>(call: () => Promise<T>): Promise<T> {
    try {
      const result = await translated(call)
      if (this.#failed !== null && !this.isRecent) {
        const downMs = Math.round(this.#failed.lastMs - this.#failed.firstMs)
        this.#failed = null
        this.#server?.log.info({ address: this.#server.address, downMs }, 'this server of the search index is back')
      }
      return result
    } catch (error) {
      if (isOutage(error) && !isBeingPrepared(error)) {
        const nowMs = performance.now()
        if (this.#failed === null) {
          this.#server?.log.warn({ address: this.#server.address, err: error }, 'this server of the search index fails')
        }
        this.#failed = { firstMs: this.#failed?.firstMs ?? nowMs, lastMs: nowMs }
      }
      throw error
    }
  }
}

const attributesToSearchOn = Object.keys(wordAttributes)

export type MeiliResponse = SearchResponse<MeiliDocument>
export type MeiliHit = MeiliResponse['hits'][number]

/** The index that is searched. */
export interface MeiliTarget {
  client: Meilisearch
  indexUid: string
  /** Aborted at the time limit of the search; absent: the client's own timeout applies. */
  signal?: AbortSignal
}

/**
 * Sends several queries in one request. Without `attributesToRetrieve` a query retrieves nothing but counts, without
 * `attributesToSearchOn` it searches the words of fields.
 */
export async function multiSearch(
  { client, indexUid, signal }: MeiliTarget,
  queries: SearchParams[],
): Promise<MeiliResponse[]> {
  const { results } = await client.multiSearch<{ queries: (SearchParams & { indexUid: string })[] }, MeiliDocument>(
    { queries: queries.map((query) => ({ indexUid, attributesToRetrieve: [], attributesToSearchOn, ...query })) },
    signal === undefined ? {} : { signal },
  )
  return results
}

const queriesAtOnce = 10

/** Sends many short queries in some requests, which Meilisearch answers at the same time. */
export async function inGroups(
  queries: SearchParams[],
  send: (queries: SearchParams[]) => Promise<MeiliResponse[]>,
): Promise<MeiliResponse[]> {
  const groups = Array.from({ length: Math.ceil(queries.length / queriesAtOnce) }, (_, at) =>
    queries.slice(at * queriesAtOnce, (at + 1) * queriesAtOnce),
  )
  return (await Promise.all(groups.map(send))).flat()
}
