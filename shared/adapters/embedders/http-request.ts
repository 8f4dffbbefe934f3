import type { TextPurpose } from '../../ports/embedder.js'
import type { HttpEmbedderConfig } from '../../runtime/embedder-config.js'
import { AppError } from '../../runtime/errors.js'
import { fetchFailure, parseJson, readRetryAfter } from '../../runtime/http-answers.js'
import { cleanLine, shorten } from '../../text/clean-text.js'
import { embedderRefused } from './embedder-errors.js'
import { embeddingApis, errorMessageOf } from './embedding-apis.js'
import { BodyTooLarge, type PostedAnswer, postJson } from './post-json.js'

/** The result of one request. `failure`: the same request may succeed later. `tooLong`: perhaps with shorter texts. */
export type RequestOutcome =
  | { vectors: number[][] }
  | { failure: string; retryAfterMs: number | null; cause?: unknown }
  | { tooLong: AppError }

/** 64 vectors of 8,192 numbers of 25 characters are half of it. */
const maxAnswerBytes = 32 * 1024 * 1024
const maxMessageCharacters = 300

/** Besides 5xx: timeout, too early, too many requests. */
const temporaryStatuses = [408, 425, 429]
/** Of servers that refuse a text with more tokens than the model reads, and of other refusals. */
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
