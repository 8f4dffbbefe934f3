import type { IncomingMessage } from 'node:http'
import { maxAddressLength } from '../../../shared/text/api-request.js'
import { parseUrl } from '../../../shared/text/parse-url.js'
import { decodeUrlPart, hasControlCharacters } from '../http/decode.js'
import { malformedUrl, urlTooLong } from '../problems/errors.js'
import type { RequestContext } from './state.js'

/**
 * Normalizes the request's target to a path and a query. Proxies may send an absolute URL, and `OPTIONS` may be sent
 * with `*`.
 */
export function normalizeTarget(ctx: RequestContext): void {
  const target = ctx.req.url ?? ''
  const path = target.startsWith('/') ? target : pathOfAddress(target)
  const readable = path !== null && !path.includes('#')
  ctx.state.targetError = readable ? null : 'The target of the request is not a path, such as /api/skills.'
  // Koa's parser throws on some malformed targets, so they are replaced.
  ctx.url = readable ? path : '/'
}

/** A name or an address, and a port (RFC 9110, section 7.2; RFC 3986, section 3.2.2). */
const hostForm = /^(?:\[[0-9A-Za-z:.%~_-]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::\d*)?$/

/**
 * Refuses requests without exactly one valid Host header (RFC 9112, section 3.2): proxies may have used different
 * ones. Node keeps the first of several.
 *
 * @throws AppError `malformed_url` (400)
 */
export function checkHost({ req }: RequestContext): void {
  const { host = '' } = req.headers
  if (host === '' && req.httpVersion === '1.1') {
    throw malformedUrl('The Host header is missing, which HTTP/1.1 requires.')
  }
  if (hasSeveral(req, 'host')) {
    throw malformedUrl('The request has several Host headers. Send one.')
  }
  if (host !== '' && !hostForm.test(host)) {
    throw malformedUrl('The Host header is not a host, such as catalog.example or [::1]:3000.')
  }
}

/**
 * Refuses URLs that are too long, and paths that are no valid text.
 *
 * @throws AppError `url_too_long` (414), `malformed_url` (400)
 */
export function checkTarget(ctx: RequestContext): void {
  if (ctx.state.targetError !== null) {
    throw malformedUrl(ctx.state.targetError)
  }
  if (ctx.url.length > maxAddressLength) {
    throw urlTooLong(maxAddressLength, ctx.state.found?.endpoint.takesJson === true)
  }
  const path = decodeUrlPart(ctx.path)
  if (path === null) {
    throw malformedUrl('The path is not valid percent-encoded UTF-8. Encode a literal % as %25.')
  }
  if (hasControlCharacters(path)) {
    throw malformedUrl('The path has control characters. Remove them.')
  }
}

/** Whether a header was sent several times. */
function hasSeveral({ rawHeaders }: IncomingMessage, name: string): boolean {
  let count = 0
  for (let place = 0; place < rawHeaders.length; place += 2) {
    count += rawHeaders[place]?.toLowerCase() === name ? 1 : 0
  }
  return count > 1
}

function pathOfAddress(target: string): string | null {
  if (target === '*') {
    return '/'
  }
  const url = /^https?:/i.test(target) ? parseUrl(target) : null
  return url === null ? null : `${url.pathname}${url.search}`
}
