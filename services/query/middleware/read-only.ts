import { methodNotAllowed } from '../errors.js'
import type { QueryMiddleware } from './state.js'

const allow = 'GET, HEAD, OPTIONS'

/**
 * Lets reading through, and tells everybody else what is possible.
 *
 * @throws AppError `method_not_allowed` (405)
 */
export const readOnly = (): QueryMiddleware => (ctx, next) => {
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204
    ctx.set('Allow', allow)
    return Promise.resolve()
  }
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    throw methodNotAllowed(ctx.method, allow)
  }
  return next()
}
