import { allowedMethods, bodyTooLarge, methodNotAllowed } from '../problems/errors.js'
import type { QueryMiddleware } from './state.js'

/** Some clients send `{}` with every request: a body of this size is ignored. */
const maxIgnoredBytes = 16_384

/**
 * Admits GET and HEAD and answers other methods with the allowed ones.
 *
 * @throws AppError `method_not_allowed` (405), `body_too_large` (413)
 */
export const readOnly = (): QueryMiddleware => (ctx, next) => {
  if (!['GET', 'HEAD', 'OPTIONS'].includes(ctx.method)) {
    throw methodNotAllowed(ctx.method)
  }
  if (ctx.get('Transfer-Encoding') !== '' || Number(ctx.get('Content-Length')) > maxIgnoredBytes) {
    throw bodyTooLarge()
  }
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204
    ctx.set('Allow', allowedMethods)
    return Promise.resolve()
  }
  return next()
}
