import type { AppError } from '../../../shared/runtime/errors.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { isOfApi } from '../http/endpoint.js'
import { readBody } from '../http/read-body.js'
import { send } from '../http/send.js'
import { SendableText } from '../http/sendable-text.js'
import { problemPage, problemPageHeaders } from '../pages/problem-page.js'
import { htmlType } from '../pages/render-page.js'
import { problem, problemType } from '../problems/problem.js'
import { toProblemError } from '../problems/to-problem-error.js'
import type { RequestContext } from './state.js'

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
  return JSON.stringify({
    jsonrpc: '2.0',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    error: { code: refusedCode, message: error.message, data: { code: error.code, retryAfterSeconds } },
  })
}
