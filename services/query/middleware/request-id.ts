import { randomUUID } from 'node:crypto'
import { fixedHeaders } from '../http/fixed-headers.js'
import type { RequestContext } from './state.js'

/**
 * Gives the request an id, in the response and the log; the client's own is kept if it is well formed. The headers of the
 * answer begin with it.
 */
export function identifyRequest({ req, state }: RequestContext): void {
  const given = req.headers['x-request-id']
  state.requestId = typeof given === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : randomUUID()
  state.headers = ['X-Request-Id', state.requestId, ...fixedHeaders]
}
