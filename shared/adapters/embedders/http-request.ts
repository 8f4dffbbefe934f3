import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { TextPurpose } from '../../ports/embedder.js'
import { AppError } from '../../runtime/errors.js'
import { fetchFailure, parseJson, readRetryAfter } from '../../runtime/http-answers.js'
import type { HttpEmbedderConfig } from '../../runtime/query-config.js'
import { cleanLine, shorten } from '../../text/clean-text.js'
import { embedderRefused, embedderUnavailable } from './batches.js'

/** How a kind of servers is asked for vectors: both take `{ model, input: [text, …] }`. */
interface EmbeddingApi {
  /** After `EMBEDDER_URL`. */
  path: string
  /** Reads the vectors, in the order of the texts, from a parsed response. */
  answer: z.ZodType<number[][]>
}

const Embedding = z.array(z.number()).min(1)

/** https://platform.openai.com/docs/api-reference/embeddings/create; some servers leave `index` out. */
const OpenAiAnswer = z
  .object({ data: z.array(z.object({ index: z.int().optional(), embedding: Embedding })) })
  .transform(({ data }) => data.map(({ index, embedding }, position) => ({ index: index ?? position, embedding })))
  .transform((data) => data.sort((a, b) => a.index - b.index))
  .refine((data) => data.every(({ index }, position) => index === position), 'data: an index is missing or repeated')
  .transform((data) => data.map(({ embedding }) => embedding))

/** https://docs.ollama.com/api/embed */
const OllamaAnswer = z.object({ embeddings: z.array(Embedding) }).transform(({ embeddings }) => embeddings)

const embeddingApis: Record<HttpEmbedderConfig['kind'], EmbeddingApi> = {
  openai: { path: '/embeddings', answer: OpenAiAnswer },
  ollama: { path: '/api/embed', answer: OllamaAnswer },
}

const ErrorAnswer = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
])

/** The message in the body of an error: of its JSON, in the forms of common servers, else the body itself. */
export const errorMessageOf = (body: string): string => ErrorAnswer.safeParse(parseJson(body)).data ?? body

interface RequestRateOptions {
  /** Requests in any `windowMs`. */
  limit: number
  /** Milliseconds, default 60,000. */
  windowMs?: number
}

/** The share of the limit that documents leave to queries. */
const keptForQueries = 0.1

/**
 * Limits the requests of this process in any minute. Those for documents wait, evenly spaced, since servers may count
 * by shorter times too. One for a query is made at once or fails: its client does not wait for a minute.
 */
export class RequestRate {
  readonly #limit: number
  readonly #windowMs: number
  /** Times of the requests in the window, oldest first. */
  readonly #sentAt: number[] = []
  #nextDocumentAt = 0

  constructor({ limit, windowMs = 60_000 }: RequestRateOptions) {
    this.#limit = limit
    this.#windowMs = windowMs
  }

  /**
   * Resolves when a request may be sent, and counts it.
   *
   * @throws AppError `embedder_unavailable` for a query when the limit is reached; the reason of `signal`
   */
  async wait(purpose: TextPurpose, signal: AbortSignal): Promise<void> {
    const documents = Math.max(1, Math.floor(this.#limit * (1 - keptForQueries)))
    const limit = purpose === 'query' ? this.#limit : documents
    for (;;) {
      const now = performance.now()
      while (Number(this.#sentAt[0]) <= now - this.#windowMs) {
        this.#sentAt.shift()
      }
      const freeAt =
        this.#sentAt.length < limit ? now : Number(this.#sentAt[this.#sentAt.length - limit]) + this.#windowMs
      if (purpose === 'query' && freeAt > now) {
        throw embedderUnavailable('EMBEDDER_REQUESTS_PER_MINUTE is reached', Math.ceil((freeAt - now) / 1_000))
      }
      const waitMs = Math.max(freeAt, purpose === 'query' ? 0 : this.#nextDocumentAt) - now
      if (waitMs <= 0) {
        this.#sentAt.push(now)
        this.#nextDocumentAt = purpose === 'query' ? this.#nextDocumentAt : now + this.#windowMs / documents
        return
      }
      // Another request may be the first after this pause.
      await sleep(Math.ceil(waitMs), undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

/** The result of one request. `failure`: the same request may succeed later. `tooLong`: perhaps with shorter texts. */
type RequestOutcome =
  | { vectors: number[][] }
  | { failure: string; retryAfterMs: number | null; cause?: unknown }
  | { tooLong: AppError }

/** 64 vectors of 8,192 numbers of 25 characters are half of it. */
const maxAnswerBytes = 32 * 1024 * 1024
const maxMessageCharacters = 300

/** Besides 5xx: timeout, too early, too many requests. */
const temporaryStatuses = [408, 425, 429]
/** The statuses by which servers refuse a text with more tokens than the model reads, among other refusals. */
const tooLongStatuses = [400, 413, 422]

/**
 * Requests the vectors of texts once.
 *
 * @param timeoutMs until the last byte of the response
 * @throws AppError `embedder_refused`; the reason of `signal`
 */
export async function requestVectors(
  config: HttpEmbedderConfig,
  texts: string[],
  { purpose, timeoutMs, signal }: { purpose: TextPurpose; timeoutMs: number; signal: AbortSignal },
): Promise<RequestOutcome> {
  const { path, answer } = embeddingApis[config.kind]
  const url = `${config.url}${path}`
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new Error(`no complete answer within ${timeoutMs / 1_000} s`)), timeoutMs)
  try {
    const posted = await postJson(
      url,
      { model: config.model, input: texts },
      { key: config.key, maxBytes: maxAnswerBytes, signal: AbortSignal.any([signal, stop.signal]) },
    )
    if (posted.status !== 200) {
      // The text of a query is its client's: it must not get into the log.
      return readError(url, posted, [config.key ?? '', ...(purpose === 'query' ? texts : [])])
    }
    const parsed = answer.safeParse(parseJson(posted.body))
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      const reason = [...(issue?.path ?? []), issue?.message].join(': ')
      throw embedderRefused(
        `${url} answered with something else than vectors (${reason}). Check that EMBEDDER_URL and EMBEDDER match ` +
          'the server.',
      )
    }
    if (parsed.data.length !== texts.length) {
      throw embedderRefused(
        `${url} answered with ${parsed.data.length} vectors for ${texts.length} texts. Check the server and its model.`,
      )
    }
    return { vectors: parsed.data }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) {
      throw error
    }
    if (error instanceof BodyTooLarge) {
      throw embedderRefused(`${url} answered with ${error.message}. Check that EMBEDDER_URL is that of an embedder.`)
    }
    return { failure: `${url} does not answer (${fetchFailure(error)})`, retryAfterMs: null, cause: error }
  } finally {
    clearTimeout(timer)
  }
}

/** @param secrets must not appear in messages */
function readError(url: string, { status, headers, body }: PostedAnswer, secrets: string[]): RequestOutcome {
  if (status >= 300 && status < 400) {
    throw embedderRefused(
      `${url} redirects to ${shownText(headers.get('location') ?? 'nowhere', secrets)}, which is not followed, since ` +
        'it could lead to another server. If that address is right, set EMBEDDER_URL to it.',
    )
  }
  const message = shownText(errorMessageOf(body), secrets)
  if (status >= 500 || temporaryStatuses.includes(status)) {
    return { failure: `${url} answered ${status} (${message})`, retryAfterMs: readRetryAfter(headers) }
  }
  const refused = embedderRefused(`${url} answered ${status}: ${message.replace(/[^.!?]$/, '$&.')} ${remedyOf(status)}`)
  if (tooLongStatuses.includes(status)) {
    return { tooLong: refused }
  }
  throw refused
}

const remedyOf = (status: number): string =>
  status === 401 || status === 403
    ? 'Check EMBEDDER_KEY.'
    : status === 404
      ? 'Check EMBEDDER_URL, and that the server has the model EMBEDDER_MODEL.'
      : 'Check EMBEDDER_URL and EMBEDDER_MODEL.'

/** Foreign text on one short line, without the secrets. */
export function shownText(text: string, secrets: string[]): string {
  const hidden = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
  return shorten(cleanLine(hidden) ?? 'no message', maxMessageCharacters)
}

/** A response of any status. */
export interface PostedAnswer {
  status: number
  headers: Headers
  body: string
}

/** The body of a response has more bytes than allowed. */
export class BodyTooLarge extends Error {}

/**
 * Posts JSON. Redirects are returned, not followed: the key must not get to another server.
 *
 * @param options.key sent as a bearer token (RFC 6750); null: none
 * @param options.maxBytes of the decompressed response
 * @throws BodyTooLarge; the reason of `signal`; the error of fetch
 */
export async function postJson(
  url: string,
  content: unknown,
  { key, maxBytes, signal }: { key: string | null; maxBytes: number; signal: AbortSignal },
): Promise<PostedAnswer> {
  const { status, headers, body } = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    signal,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'User-Agent': 'skill-catalog',
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(content),
  })
  const parts: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop early closes the connection.
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > maxBytes) {
      throw new BodyTooLarge(`more than ${maxBytes} bytes`)
    }
    parts.push(part)
  }
  return { status, headers, body: Buffer.concat(parts).toString() }
}
