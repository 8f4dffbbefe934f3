import { randomUUID } from 'node:crypto'
import type { QueryMiddleware } from './state.js'

/** Gives every request an id, in the response and the log; the client's own is kept if it is well formed. */
export const requestId = (): QueryMiddleware => (ctx, next) => {
  const given = ctx.get('X-Request-Id')
  ctx.state.requestId = /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : randomUUID()
  ctx.set('X-Request-Id', ctx.state.requestId)
  return next()
}
