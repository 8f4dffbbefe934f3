import type { Logger } from '../../../shared/runtime/log.js'
import { isOfApi } from '../http/endpoint.js'
import { send } from '../http/send.js'
import { SendableText } from '../http/sendable-text.js'
import { isRefusedCall, refusedCall } from '../mcp/refused-call.js'
import { problemPage, problemPageHeaders } from '../pages/problem-page.js'
import { htmlType } from '../pages/render-page.js'
import { problem, problemType } from '../problems/problem.js'
import { toProblemError } from '../problems/to-problem-error.js'
import type { RequestContext } from './state.js'

/** Answers with an error: people get a page, programs problem details. */
export async function sendProblem(ctx: RequestContext, thrown: unknown, log: Logger): Promise<void> {
  const { requestId } = ctx.state
  const error = toProblemError(thrown, requestId, log)
  if (isRefusedCall(ctx, error)) {
    const headers = { 'Cache-Control': 'no-store', ...error.headers, 'Content-Type': 'application/json' }
    send(ctx, error.status, Object.entries(headers).flat(), await refusedCall(ctx, error))
    return
  }
  const body = problem(error, ctx.path, requestId)
  const isPage = prefersPage(ctx)
  const text = new SendableText(isPage ? problemPage(ctx, body, error.headers) : JSON.stringify(body))
  const encoding = text.encodingFor(ctx.get('Accept-Encoding'))
  const headers = {
    'Cache-Control': 'no-store',
    ...error.headers,
    ...(isPage ? problemPageHeaders : {}),
    'Content-Type': isPage ? htmlType : problemType,
    Vary: isOfApi(ctx.path) ? 'Accept-Encoding' : 'Accept-Encoding, Accept',
    ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
  }
  send(ctx, error.status, Object.entries(headers).flat(), await text.encoded(encoding))
}

/** Whether the client is a browser that opens a page. Clients without a preference are programs. */
const prefersPage = (ctx: RequestContext): boolean =>
  !isOfApi(ctx.path) && ctx.accepts([problemType, 'application/json', 'text/html']) === 'text/html'
