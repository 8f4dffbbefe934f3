import cors from '@koa/cors'
import { exposedHeaders } from '../http/fixed-headers.js'
import { send } from '../http/send.js'
import type { RequestContext } from './state.js'

const preflightMaxAgeSeconds = 86_400

const setPreflightHeaders = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'OPTIONS'],
  exposeHeaders: exposedHeaders,
  maxAge: preflightMaxAgeSeconds,
})

/**
 * Answers a preflight, by which a browser asks whether a page may send a request.
 *
 * @returns whether the request was one
 */
export async function answerPreflight(ctx: RequestContext): Promise<boolean> {
  if (ctx.method !== 'OPTIONS' || !ctx.req.headers['access-control-request-method']) {
    return false
  }
  await setPreflightHeaders(ctx, async () => undefined)
  send(ctx, 204, [], null)
  return true
}
