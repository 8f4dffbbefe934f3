import cors from '@koa/cors'
import { type Method, readMethods } from '../http/endpoint.js'
import { exposedHeaders } from '../http/fixed-headers.js'
import { send } from '../http/send.js'
import type { RequestContext } from './state.js'

const preflightMaxAgeSeconds = 86_400

/** Headers of the request are allowed as the browser names them: no header gives a page any rights. */
const setPreflightHeaders = (methods: readonly Method[]) =>
  cors({
    origin: '*',
    allowMethods: [...methods, 'OPTIONS'],
    exposeHeaders: exposedHeaders,
    maxAge: preflightMaxAgeSeconds,
  })

const setForReading = setPreflightHeaders(readMethods)

/**
 * Answers a preflight, by which a browser asks whether a page may send a request.
 *
 * @returns whether the request was one
 */
export async function answerPreflight(ctx: RequestContext): Promise<boolean> {
  if (ctx.method !== 'OPTIONS' || !ctx.req.headers['access-control-request-method']) {
    return false
  }
  const { methods } = ctx.state.found?.endpoint ?? {}
  await (methods === undefined ? setForReading : setPreflightHeaders(methods))(ctx, async () => undefined)
  send(ctx, 204, [], null)
  return true
}
