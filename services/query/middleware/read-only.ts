import { readMethods } from '../http/endpoint.js'
import { send } from '../http/send.js'
import { allowed, bodyTooLarge, methodNotAllowed } from '../problems/errors.js'
import type { RequestContext } from './state.js'

/** Some clients send `{}` with every request: a body of this size is ignored. */
const maxIgnoredBytes = 16_384

/** The methods of the requested path, besides OPTIONS. */
const methodsOf = ({ state }: RequestContext): readonly string[] => state.found?.endpoint.methods ?? readMethods

/**
 * Admits the methods of the endpoint: GET and HEAD, except where it names others.
 *
 * @throws AppError `method_not_allowed` (405), `body_too_large` (413)
 */
export function checkMethod(ctx: RequestContext): void {
  const { method, req, state } = ctx
  if (method !== 'OPTIONS' && !methodsOf(ctx).includes(method)) {
    throw methodNotAllowed(method, methodsOf(ctx))
  }
  const maxBodyBytes = method === 'POST' ? (state.found?.endpoint.maxBodyBytes ?? 0) : 0
  const isUnbounded = maxBodyBytes === 0 && req.headers['transfer-encoding'] !== undefined
  if (isUnbounded || Number(req.headers['content-length']) > (maxBodyBytes || maxIgnoredBytes)) {
    throw bodyTooLarge(maxBodyBytes)
  }
}

/** Answers OPTIONS with the methods of the path. @returns whether the request was one */
export function answerOptions(ctx: RequestContext): boolean {
  if (ctx.method !== 'OPTIONS') {
    return false
  }
  send(ctx, 204, ['Allow', allowed(methodsOf(ctx))], null)
  return true
}
