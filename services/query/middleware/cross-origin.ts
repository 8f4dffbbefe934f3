import cors from '@koa/cors'
import { responseHeaders } from '../openapi/headers.js'
import type { QueryMiddleware } from './state.js'

/** Every header of the API: browsers hide headers from other origins unless they are listed. */
const exposedHeaders = [...Object.keys(responseHeaders), 'Content-Encoding', 'Content-Length']

/** Headers that let pages of every origin read a response. */
export const openToAll = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders.join(','),
}

const preflightMaxAgeSeconds = 86_400

/** Lets pages of every origin read the API, and answers their preflights. */
export function crossOrigin(): QueryMiddleware {
  const answer = cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'OPTIONS'],
    exposeHeaders: exposedHeaders,
    maxAge: preflightMaxAgeSeconds,
    keepHeadersOnError: false,
  })
  return (ctx, next) =>
    answer(ctx, () => {
      // The middleware always adds `Vary: Origin`, but the value is `*` for all origins, so caches may share the
      // response. It does not answer an OPTIONS request that is no preflight.
      ctx.remove('Vary')
      ctx.set(openToAll)
      return next()
    })
}
