import type { Logger } from '../../../shared/runtime/log.js'
import { send } from '../http/send.js'
import { SendableText } from '../http/sendable-text.js'
import { problem, problemType } from '../problems/problem.js'
import { toProblemError } from '../problems/to-problem-error.js'
import type { RequestContext } from './state.js'

/** Answers with an error. */
export async function sendProblem(ctx: RequestContext, thrown: unknown, log: Logger): Promise<void> {
  const { requestId } = ctx.state
  const error = toProblemError(thrown, requestId, log)
  const text = new SendableText(JSON.stringify(problem(error, ctx.path, requestId)))
  const encoding = text.encodingFor(ctx.get('Accept-Encoding'))
  const headers = {
    'Cache-Control': 'no-store',
    ...error.headers,
    'Content-Type': problemType,
    Vary: 'Accept-Encoding',
    ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
  }
  send(ctx, error.status, Object.entries(headers).flat(), await text.encoded(encoding))
}
