import { isIP } from 'node:net'
import type { QueryConfig } from '../../../shared/runtime/query-config.js'
import { originRefused } from '../problems/errors.js'
import type { RequestContext } from './state.js'

/** An origin as browsers send it (RFC 6454, section 6.2), of an http page or an extension; not `null`. */
const originForm = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/i

/**
 * Refuses calls of pages, where only POST is answered, that reach this service by DNS rebinding: a page whose host name
 * points to this machine is, for its browser, of the same origin as the service, and thereby gets into the network of its
 * visitor. Other pages may call it, as all data is public, and programs send no `Origin`.
 *
 * Behind a proxy the proxy decides which hosts it serves. A service that other machines reach directly knows its names by
 * `PUBLIC_URL` only.
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
  const isPostOnly = method === 'POST' && state.found?.endpoint.methods?.includes('GET') === false
  if (!isPostOnly || origin === undefined) {
    return
  }
  if (!originForm.test(origin)) {
    throw originRefused('The Origin header is not the origin of a page, such as https://page.example.')
  }
  const name = hostName(host)
  const anyName = trustedProxies > 0 || (publicUrl === null && !isLoopback(req.socket.localAddress ?? ''))
  if (!anyName && !isOwnName(name) && name !== hostName(new URL(publicUrl ?? 'http://localhost').host)) {
    throw originRefused(
      `A page may not call this service as ${name}, which is not its name. Call it as ` +
        `${publicUrl ?? 'localhost'}, or set PUBLIC_URL to the origin under which clients reach it.`,
    )
  }
}

/** Without the port, in lower case; an IPv6 address without its brackets. */
const hostName = (host: string): string =>
  host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()

/** No host name of a page: a page at an address was loaded from that address. */
const isOwnName = (name: string): boolean => name === 'localhost' || isIP(name) !== 0

const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\.|^::1$/.test(address)
