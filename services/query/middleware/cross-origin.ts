import cors from '@koa/cors'
import { responseHeaders } from '../openapi/headers.js'
import type { QueryMiddleware } from './state.js'

/** Every header of the API, which a browser would otherwise hide from a page of another origin. */
const exposedHeaders = [...Object.keys(responseHeaders), 'Content-Encoding', 'Content-Length']

/** What lets pages of every origin read an answer, all of it. */
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
      // The middleware varies by Origin always, but the answer here is `*` for all: caches may share it. To an OPTIONS
      // that is no preflight it says nothing.
      ctx.remove('Vary')
      ctx.set(openToAll)
      return next()
    })
}
