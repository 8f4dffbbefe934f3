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

/** Whether a browser asks by this request whether a page may send another one. */
export const isPreflight = ({ method, req }: RequestContext): boolean =>
  method === 'OPTIONS' && Boolean(req.headers['access-control-request-method'])

/** Answers a preflight. */
export async function answerPreflight(ctx: RequestContext): Promise<void> {
  const { methods } = ctx.state.found?.endpoint ?? {}
  await (methods === undefined ? setForReading : setPreflightHeaders(methods))(ctx, async () => undefined)
  send(ctx, 204, [], null)
}
