import { send } from '../http/send.js'
import { allowedMethods, bodyTooLarge, methodNotAllowed } from '../problems/errors.js'
import type { RequestContext } from './state.js'

/** Some clients send `{}` with every request: a body of this size is ignored. */
const maxIgnoredBytes = 16_384

/**
 * Admits GET and HEAD.
 *
 * @throws AppError `method_not_allowed` (405), `body_too_large` (413)
 */
export function checkMethod({ method, req }: RequestContext): void {
  if (!['GET', 'HEAD', 'OPTIONS'].includes(method)) {
    throw methodNotAllowed(method)
  }
  if (req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length']) > maxIgnoredBytes) {
    throw bodyTooLarge()
  }
}

/** Answers OPTIONS with the methods of every path. @returns whether the request was one */
export function answerOptions(ctx: RequestContext): boolean {
  if (ctx.method !== 'OPTIONS') {
    return false
  }
  send(ctx, 204, ['Allow', allowedMethods], null)
  return true
}
