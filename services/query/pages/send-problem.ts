import { hash } from 'node:crypto'
import type { AppError } from '../../../shared/runtime/errors.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { send } from '../request/answer.js'
import { isOfApi, type RequestContext } from '../request/endpoint.js'
import { knownPairs } from '../request/parse-query.js'
import { type Problem, problem, problemType, toProblemError, waitForQuota } from '../request/problems.js'
import { readBody } from '../request/read-body.js'
import { SendableText } from '../request/sendable-text.js'
import { explainProblem } from '../web/text/format.js'
import { builtText, contentPolicy, htmlType, renderPage } from './render-page.js'

const styles = builtText('styles/pages.css')

/** An error as a page has its styles in itself: nothing else may be admitted, or be reachable, at that moment. */
const problemPageHeaders = {
  'Content-Security-Policy': contentPolicy(`'sha256-${hash('sha256', styles, 'base64')}'`),
}

/** An error as a page, for people. @param headers those of the answer */
function problemPage(ctx: RequestContext, problem: Problem, headers: Record<string, string>): string {
  const { status, code, requestId, instance, errors = [], suggestions = [] } = problem
  const refused = errors.map(({ parameter }) => parameter)
  const { title, text } = explainProblem(status, code, {
    refused,
    name: Object.values(ctx.state.found?.segments ?? {}).join('/'),
  })
  return renderPage({
    title: `${title} – Skill Catalog`,
    description: text,
    path: instance,
    inlineStyles: styles,
    shown: {
      view: 'problem',
      data: {
        status,
        title,
        text,
        requestId,
        links: linksOf(ctx, code, refused, headers['Location']),
        suggestions: suggestions.map((id) => ({ text: id, href: `/skills/${id}` })),
        retryAfterSeconds: Number(headers['Retry-After'] ?? 0) || null,
      },
    },
  })
}

/** Where to go from an error. */
function linksOf(
  { path, querystring, state }: RequestContext,
  code: string,
  refused: string[],
  movedTo: string | undefined,
): { text: string; href: string }[] {
  if (movedTo !== undefined) {
    return [{ text: 'Open it', href: movedTo }]
  }
  const { endpoint, segments = {} } = state.found ?? {}
  const ofQuery = endpoint === undefined ? [] : refused.filter((name) => Object.hasOwn(endpoint.query.shape, name))
  if (endpoint !== undefined && ofQuery.length > 0 && ofQuery.length === refused.length) {
    const kept = knownPairs(querystring, endpoint.query, ofQuery)
    return [{ text: 'Open the page without it', href: `${path}${kept.length === 0 ? '' : `?${kept.join('&')}`}` }]
  }
  const words = Object.values(segments).join(' ')
  return code.endsWith('_unknown') || code === 'skill_removed'
    ? [{ text: `Search for “${words}”`, href: `/?${new URLSearchParams({ q: words })}` }]
    : []
}

/** Answers with an error: people get a page, programs problem details, and refused calls an error of their protocol. */
export async function sendProblem(ctx: RequestContext, thrown: unknown, log: Logger): Promise<void> {
  const { requestId } = ctx.state
  const error = toProblemError(thrown, requestId, log)
  if (isRefusedCall(ctx, error)) {
    const headers = { 'Cache-Control': 'no-store', ...error.headers, 'Content-Type': 'application/json' }
    send(ctx, error.status, Object.entries(headers).flat(), await refusedCall(ctx, error))
    return
  }
  const { errorMembers } = ctx.state.found?.endpoint ?? {}
  const details = problem(error, ctx.path, requestId)
  const body = { ...details, ...errorMembers?.(details) }
  const isPage = errorMembers === undefined && prefersPage(ctx)
  const text = new SendableText(isPage ? problemPage(ctx, body, error.headers) : JSON.stringify(body))
  const encoding = text.encodingFor(ctx.get('Accept-Encoding'))
  const headers = {
    'Cache-Control': 'no-store',
    ...error.headers,
    ...(isPage ? problemPageHeaders : {}),
    'Content-Type': isPage ? htmlType : problemType,
    Vary: isOfApi(ctx.path) || errorMembers !== undefined ? 'Accept-Encoding' : 'Accept-Encoding, Accept',
    ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
  }
  send(ctx, error.status, Object.entries(headers).flat(), await text.encoded(encoding))
}

/** Whether the client is a browser that opens a page. Clients without a preference are programs. */
const prefersPage = (ctx: RequestContext): boolean =>
  !isOfApi(ctx.path) && ctx.accepts([problemType, 'application/json', 'text/html']) === 'text/html'

/** Time for the rest of a refused message, of which only the id is read. */
const timeLimitMs = 1_000

/** An error of this server, in the range that JSON-RPC 2.0 leaves to servers. */
const refusedCode = -32_029

/** Whether this error refuses a call of the Model Context Protocol until some time has passed. */
const isRefusedCall = ({ method, state }: RequestContext, { headers }: AppError): boolean =>
  method === 'POST' && state.found?.endpoint.name === 'mcp' && headers['Retry-After'] !== undefined

/** The error as an answer to the call, with the seconds to wait: clients of the protocol read no problem details. */
async function refusedCall({ req, res, state }: RequestContext, error: AppError): Promise<string> {
  const maxBytes = state.found?.endpoint.maxBodyBytes ?? 0
  const body = req.readableEnded ? '' : await readBody(req, res, maxBytes, timeLimitMs).catch(() => '')
  const { id = null } = Object(parseJson(body)) as { id?: unknown }
  const retryAfterSeconds = Number(error.headers['Retry-After'])
  // A model may have no way to the address that the problem names.
  const message = error.code === 'rate_limited' ? waitForQuota(retryAfterSeconds) : error.message
  return JSON.stringify({
    jsonrpc: '2.0',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    error: { code: refusedCode, message, data: { code: error.code, retryAfterSeconds } },
  })
}
