import { decodeUrlPart, hasControlCharacters } from '../decode.js'
import { malformedUrl, urlTooLong } from '../errors.js'
import type { QueryMiddleware } from './state.js'

/** Room for every parameter at its longest, percent-encoded, but for a hundred ids at theirs; far below what Node takes. */
const maxUrlLength = 8_000

/**
 * Brings the request's target into the one form that everything below reads: a path and a query. Proxies may send a
 * whole address, and `OPTIONS` a mere `*`.
 */
export const readableTarget = (): QueryMiddleware => (ctx, next) => {
  const target = ctx.req.url ?? ''
  const path = target.startsWith('/') ? target : pathOfAddress(target)
  const readable = path !== null && !path.includes('#')
  ctx.state.unreadable = readable ? null : 'The address of the request is not a path, such as /api/skills.'
  // Koa's own parser throws on some unreadable ones: nothing below gets to see them.
  ctx.url = readable ? path : '/'
  return next()
}

/** A name or an address, and a port (RFC 9110, section 7.2; RFC 3986, section 3.2.2). */
const hostForm = /^(?:\[[0-9A-Za-z:.%~_-]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::\d*)?$/

/**
 * Refuses requests that do not say once, and readably, which host they are for (RFC 9112, section 3.2): services on the
 * way may each have gone by another one. Node keeps the first of several.
 *
 * @throws AppError `malformed_url` (400)
 */
export const checkHost = (): QueryMiddleware => (ctx, next) => {
  const host = ctx.get('Host')
  if (host === '' && ctx.req.httpVersion === '1.1') {
    throw malformedUrl('The Host header is missing, which HTTP/1.1 requires.')
  }
  if ((ctx.req.headersDistinct['host'] ?? []).length > 1) {
    throw malformedUrl('The request has several Host headers. Send one.')
  }
  if (host !== '' && !hostForm.test(host)) {
    throw malformedUrl('The Host header is not a host, such as catalog.example or [::1]:3000.')
  }
  return next()
}

/**
 * Refuses addresses that cannot mean anything: endless ones, and paths that are no text.
 *
 * @throws AppError `url_too_long` (414), `malformed_url` (400)
 */
export const checkTarget = (): QueryMiddleware => (ctx, next) => {
  if (ctx.state.unreadable !== null) {
    throw malformedUrl(ctx.state.unreadable)
  }
  if (ctx.url.length > maxUrlLength) {
    throw urlTooLong(maxUrlLength)
  }
  const path = decodeUrlPart(ctx.path)
  if (path === null) {
    throw malformedUrl('The path is not valid percent-encoded UTF-8. Write a literal % as %25.')
  }
  if (hasControlCharacters(path)) {
    throw malformedUrl('The path holds control characters. Leave them out.')
  }
  return next()
}

function pathOfAddress(target: string): string | null {
  if (target === '*') {
    return '/'
  }
  const url = /^https?:/i.test(target) && URL.canParse(target) ? new URL(target) : null
  return url === null ? null : `${url.pathname}${url.search}`
}
