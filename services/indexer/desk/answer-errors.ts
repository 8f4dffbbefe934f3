import type { Context, Next } from 'koa'
import { AppError, operatorMessage } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { messagePage } from './page.js'

/** Answers errors of what follows, as a page or, for programs, as a line. */
export async function answerErrors(ctx: Context, next: Next, log: Logger): Promise<void> {
  try {
    await next()
    if (ctx.status === 404 && ctx.body === undefined) {
      throw new AppError(
        404,
        'not_found',
        'There is nothing here. The desk has /, /status.json, POST /jobs/<job>/<action> and POST /skills/<owner>/<repo>/<action>.',
      )
    }
  } catch (thrown) {
    const error = thrown instanceof AppError ? thrown : internal(thrown, log)
    ctx.status = error.status
    ctx.set(error.headers)
    const isPage = ctx.accepts('text', 'html') === 'html'
    ctx.type = isPage ? 'html' : 'text'
    ctx.body = isPage ? messagePage(`Error ${error.status}`, operatorMessage(error)) : `${operatorMessage(error)}\n`
  }
}

function internal(thrown: unknown, log: Logger): AppError {
  log.error({ err: thrown }, "the operator's desk could not answer")
  return new AppError(500, 'internal_error', 'The desk could not answer. The log of the service has the reason.')
}
