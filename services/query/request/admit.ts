import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import cors from '@koa/cors'
import { answerHealth, type ReadinessCheck } from '../../../shared/runtime/operations.js'
import type { QueryConfig } from '../../../shared/runtime/query-config.js'
import { maxAddressLength, pathOfTarget } from '../../../shared/text/parse-url.js'
import { exposedHeaders, fixedHeaders, send } from './answer.js'
import { type Endpoint, isPostOnly, type Method, type RequestContext, readMethods } from './endpoint.js'
import { decodeUrlPart, hasControlCharacters } from './parse-query.js'
import { allowed, bodyTooLarge, malformedUrl, methodNotAllowed, problemError } from './problems.js'

/**
 * Gives the request an id, in the response and the log; the client's own is kept if it is well formed. The headers of the
 * answer begin with it.
 */
export function identifyRequest({ req, state }: RequestContext): void {
  const given = req.headers['x-request-id']
  state.requestId = typeof given === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : randomUUID()
  state.headers = ['X-Request-Id', state.requestId, ...fixedHeaders]
}

/** Normalizes the request's target to a path and a query; in place of one that has none stands `/`. */
export function normalizeTarget(ctx: RequestContext): void {
  const target = ctx.req.url ?? ''
  // Nearly all targets are a path already, and need no parser.
  const path = /^\/[^#]*$/.test(target) ? target : pathOfTarget(target)
  ctx.state.targetError = path === null ? 'The target of the request is not a path, such as /api/skills.' : null
  ctx.url = path ?? '/'
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
  if (req.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1) {
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
    const remedy = meantEndpoint(ctx)?.takesJson
      ? 'Send the same parameters as JSON, by POST to this path.'
      : 'Shorten them.'
    throw problemError('url_too_long', `The path and query are longer than ${maxAddressLength} characters. ${remedy}`)
  }
  const path = decodeUrlPart(ctx.path)
  if (path === null) {
    throw malformedUrl('The path is not valid percent-encoded UTF-8. Encode a literal % as %25.')
  }
  if (hasControlCharacters(path)) {
    throw malformedUrl('The path has control characters. Remove them.')
  }
}

/** An origin as browsers send it (RFC 6454, section 6.2), of an http page or an extension; not `null`. */
const originForm = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/i

/**
 * Refuses requests to endpoints that only POST calls, where they come from a page that reaches this service by DNS
 * rebinding: its host name points to this machine, so that its browser takes both for one origin, and the page gets into
 * the network of its visitor. Other pages may call these endpoints, since all data is public; programs send no `Origin`.
 *
 * With a trusted proxy in front every host name is accepted, since the proxy decides which ones it serves; and where other
 * machines reach the service without one and `PUBLIC_URL` is not set, since its names are not known then.
 *
 * Source: MCP 2026-07-28, Streamable HTTP, Security & Endpoint.
 *
 * @throws AppError `origin_refused` (403)
 */
export function checkOrigin(
  { method, state, req }: RequestContext,
  { publicUrl, trustedProxies }: Pick<QueryConfig, 'publicUrl' | 'trustedProxies'>,
): void {
  const { origin, host = '' } = req.headers
  // What GET answers as well, any page can read without an Origin.
  if (method !== 'POST' || origin === undefined || state.found === undefined || !isPostOnly(state.found.endpoint)) {
    return
  }
  if (!originForm.test(origin)) {
    throw problemError('origin_refused', 'The Origin header is not the origin of a page, such as https://page.example.')
  }
  const name = nameOfHost(host)
  const anyName = trustedProxies > 0 || (publicUrl === null && !isLoopback(req.socket.localAddress ?? ''))
  if (!anyName && !isOwnName(name) && name !== nameOfHost(new URL(publicUrl ?? 'http://localhost').host)) {
    throw problemError(
      'origin_refused',
      `A page may not call this service as ${name}, which is not its name. Call it as ` +
        `${publicUrl ?? 'localhost'}, or set PUBLIC_URL to the origin under which clients reach it.`,
    )
  }
}

/** The name or address in a Host header: without the port, in lower case; an IPv6 address without its brackets. */
const nameOfHost = (host: string): string =>
  host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()

/** Whether DNS rebinding cannot use a name: it points nowhere else, and a page at an IP address was loaded from there. */
const isOwnName = (name: string): boolean => name === 'localhost' || isIP(name) !== 0

const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\.|^::1$/.test(address)

/** Some clients send `{}` with every request: a body of this size is ignored. */
const maxIgnoredBytes = 16_384

/** The endpoint that the client means. Undefined: there is none, also without a slash at the end of the path. */
const meantEndpoint = ({ state }: RequestContext): Endpoint | undefined =>
  state.found?.endpoint ?? state.endpointBeforeSlash

/** The methods of the requested path, in addition to OPTIONS. */
const methodsOf = (ctx: RequestContext): readonly Method[] => meantEndpoint(ctx)?.methods ?? readMethods

/**
 * Admits the methods of the endpoint: GET and HEAD, except where it names others.
 *
 * @throws AppError `method_not_allowed` (405), `body_too_large` (413)
 */
export function checkMethod(ctx: RequestContext): void {
  const { method, req } = ctx
  const methods: readonly string[] = methodsOf(ctx)
  if (method !== 'OPTIONS' && !methods.includes(method)) {
    throw methodNotAllowed(method, methods)
  }
  const maxBodyBytes = method === 'POST' ? (meantEndpoint(ctx)?.maxBodyBytes ?? 0) : 0
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

const preflightMaxAgeSeconds = 86_400

/** Whether a browser asks by this request whether a page may send another one. */
export const isPreflight = ({ method, req }: RequestContext): boolean =>
  method === 'OPTIONS' && Boolean(req.headers['access-control-request-method'])

/** Answers a preflight. Headers of the request are allowed as the browser names them: no header gives a page any rights. */
export async function answerPreflight(ctx: RequestContext): Promise<void> {
  const setHeaders = cors({
    origin: '*',
    allowMethods: [...methodsOf(ctx), 'OPTIONS'],
    exposeHeaders: exposedHeaders,
    maxAge: preflightMaxAgeSeconds,
  })
  await setHeaders(ctx, async () => undefined)
  send(ctx, 204, [], null)
}

/**
 * Answers `/healthz`: the process is alive; and `/readyz`: the state of each dependency, 503 when one is down.
 *
 * A load balancer should use `/healthz`: with a dependency down, the endpoints that do not need it still work.
 *
 * @returns whether the request was one of them
 */
export async function sendHealth(ctx: RequestContext, check: ReadinessCheck): Promise<boolean> {
  const answer = ctx.method === 'GET' || ctx.method === 'HEAD' ? await answerHealth(ctx.path, check) : null
  if (answer === null) {
    return false
  }
  const headers = ['Cache-Control', 'no-store', 'Content-Type', 'application/json; charset=utf-8']
  send(ctx, answer.status, headers, JSON.stringify(answer.body))
  return true
}

/** Allowed Host headers: a name or an address, and a port. Anything else must not be copied into a response. */
const publicHostForm = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/

/**
 * The origin under which clients reach this service, for absolute URLs (links, feeds, sitemaps, link sets): the configured
 * one, else that of the request, with the scheme that a trusted proxy sends.
 *
 * @param header a request's header by name; empty when there is none
 */
export function publicOrigin(
  { publicUrl, trustedProxies }: Pick<QueryConfig, 'publicUrl' | 'trustedProxies'>,
  header: (name: string) => string,
): string {
  if (publicUrl !== null) {
    return publicUrl
  }
  const host = header('Host')
  const encrypted = trustedProxies > 0 && header('X-Forwarded-Proto').split(',').at(-1)?.trim() === 'https'
  return `${encrypted ? 'https' : 'http'}://${publicHostForm.test(host) ? host : 'localhost'}`
}
