import cors from '@koa/cors'
import type { QueryMiddleware } from './state.js'

/** Every header of the API that a browser would otherwise hide from a page of another origin. */
const exposedHeaders = [
  'Accept-Ranges',
  'Age',
  'Allow',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Length',
  'Content-Location',
  'Content-Range',
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Repr-Digest',
  'Retry-After',
  'Vary',
  'X-Export-Count',
  'X-Export-Truncated',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Total-Count',
]

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
      // The middleware varies by Origin always, but the answer here is `*` for all: caches may share it.
      ctx.remove('Vary')
      return next()
    })
}
