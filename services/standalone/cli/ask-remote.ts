import { z } from 'zod'
import { AppError, unavailable } from '../../../shared/runtime/errors.js'
import { fetchFailure, onlyVisible, parseJson, readRetryAfter } from '../../../shared/runtime/http-answers.js'
import { printableLine, shorten, visibleText } from '../../../shared/text/clean-text.js'
import { apiRequest } from '../../../shared/text/parse-url.js'
import { catalogAddress, readText, requestSource } from '../../indexer/mirror/request-source.js'
import { isProblemCode } from '../../query/request/problem-codes.js'
import { waitForQuota } from '../../query/request/problems.js'
import type { AskEndpoint } from '../../query/request/routes.js'

/** Milliseconds for a response; clients of MCP wait for a minute. */
const maxMs = 30_000

/** Bytes of a decompressed response: above 25 whole skills of the maximum size. */
const maxBytes = 2 * 1024 * 1024

const maxDetail = 500

const Line = z.string().transform((text) => shorten(printableLine(text), maxDetail))

/** The part of problem details that a model can use. */
const RemoteProblem = z.object({
  code: z.string(),
  detail: Line,
  errors: z.array(z.object({ parameter: Line, message: Line })).optional(),
  suggestions: z.array(Line).optional(),
})

/**
 * Asks the public API of another catalog, which is not trusted: size and time of responses are limited, and redirects to
 * other servers refused.
 *
 * @throws AppError `bad_arguments` as `catalogAddress`
 */
export function askRemote(url: string, signal: AbortSignal): AskEndpoint {
  const origin = catalogAddress(url)
  return async ({ path, aliases = [], produces }, { segments, querystring }) => {
    const versioned = [path, ...aliases].find((each) => each.startsWith('/api/v1/')) ?? path
    const filled = versioned.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(segments[name] ?? ''))
    const { address, body: sent } = apiRequest(`${origin}${filled}${querystring === '' ? '' : `?${querystring}`}`)
    const headers = {
      'User-Agent': 'skill-catalog-mcp',
      Accept: 'application/json',
      ...(sent !== null && { 'Content-Type': 'application/json' }),
    }
    const { status, text, retryAfterMs } = await requestSource(
      address,
      { headers, body: sent, maxMs, maxIdleMs: maxMs, signal },
      async (response) => ({
        status: response.status,
        text: await readText(response, maxBytes),
        retryAfterMs: readRetryAfter(response.headers),
      }),
    ).catch((error: unknown) => {
      throw unavailable(
        'service_unavailable',
        error instanceof AppError
          ? error.message
          : `${origin} does not answer (${fetchFailure(error)}). Try again later.`,
        5,
        error,
      )
    })
    if (status === 429 && retryAfterMs !== null) {
      const seconds = Math.ceil(retryAfterMs / 1_000)
      throw unavailable('service_unavailable', `${origin}: ${waitForQuota(seconds)}`, seconds)
    }
    if (status === 200 && produces !== undefined) {
      return visibleText(text)
    }
    const body = parseJson(text, onlyVisible)
    if (status !== 200 || body === undefined) {
      throw remoteError(origin, status, body)
    }
    return body
  }
}

/**
 * The error of the other catalog, or that it is none. What the client can correct is said as the catalog says it; for
 * everything else the message names the catalog, whose fault it is.
 */
function remoteError(origin: string, status: number, body: unknown): AppError {
  const problem = RemoteProblem.safeParse(body)
  if (!problem.success) {
    return faultOf(origin, `is no Skill Catalog: it answered with ${status}.`)
  }
  const { code, detail, errors, suggestions } = problem.data
  if (status >= 500 || status === 429 || !isProblemCode(code)) {
    return faultOf(origin, `answers ${status}: ${detail}`)
  }
  return new AppError(status, code, detail, {
    ...(errors === undefined ? {} : { errors }),
    ...(suggestions === undefined ? {} : { extensions: { suggestions } }),
  })
}

/** The error of a response that a tool could not read: the other catalog's fault. */
export function unreadAnswer(url: string, { issues: [issue] }: z.ZodError): AppError {
  const place = printableLine([...(issue?.path ?? []), issue?.message].join(': '))
  return faultOf(url, `is no Skill Catalog, or one of another version: its answer has another form (${place}).`)
}

const faultOf = (origin: string, fault: string): AppError => unavailable('service_unavailable', `${origin} ${fault}`, 5)
