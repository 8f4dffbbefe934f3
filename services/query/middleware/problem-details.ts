import { AppError } from '../../../shared/errors.js'
import type { Logger } from '../../../shared/log.js'
import { problemError } from '../errors.js'
import { problem, problemType } from '../problem.js'
import { isProblemCode } from '../problem-codes.js'
import { SendableText } from '../sendable-text.js'
import { openToAll } from './cross-origin.js'
import type { QueryMiddleware } from './state.js'

/**
 * Answers whatever is thrown below. An AppError of a documented code is told as it is; anything else, and an
 * operator's error, is a fault of ours: the log gets all of it and the client nothing but the request's id.
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
    `Something went wrong on our side. Try again; if it stays, report request ${requestId}.`,
  )
