import { AppError } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { SendableText } from '../http/sendable-text.js'
import { problemError } from '../problems/errors.js'
import { problem, problemType } from '../problems/problem.js'
import { isProblemCode } from '../problems/problem-codes.js'
import { openToAll } from './cross-origin.js'
import type { QueryMiddleware } from './state.js'

/**
 * Answers errors thrown below. An AppError of a documented code is sent as it is; any other error is logged in full,
 * and the client gets only the request's id.
 */
export const problemDetails =
  (log: Logger): QueryMiddleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (thrown) {
      const { requestId } = ctx.state
      const known = thrown instanceof AppError && thrown.status !== 500 && isProblemCode(thrown.code)
      const error = known ? thrown : internalError(requestId)
      if (error !== thrown) {
        log.error({ requestId, err: thrown }, 'request failed')
      }
      ctx.status = error.status
      ctx.set({ 'Cache-Control': 'no-store', ...openToAll })
      ctx.set(error.headers)
      ctx.set('Content-Type', problemType)
      const text = new SendableText(JSON.stringify(problem(error, ctx.path, requestId)))
      ctx.vary('Accept-Encoding')
      await text.setBody(ctx, text.encodingFor(ctx.get('Accept-Encoding')))
    }
  }

const internalError = (requestId: string): AppError =>
  problemError(
    'internal_error',
    `Something went wrong on our side. Try again; if it fails again, report request ${requestId}.`,
  )
