import { isIPv4 } from 'node:net'
import type { Context } from 'koa'
import { AppError } from '../../../shared/runtime/errors.js'
import { parseUrl } from '../../../shared/text/parse-url.js'

const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))

/** Whether only programs of this machine can reach a URL. */
export const isLoopback = (url: string): boolean => isLoopbackName(new URL(url).hostname)

/**
 * Refuses a name that another site has made point to this machine (DNS rebinding): the pages of that site could read
 * the answers.
 *
 * @throws AppError `foreign_host` (421)
 */
export function checkLoopbackHost({ host, req }: Context): void {
  const named = `http://${host}`
  // Of several hosts a proxy may have read another one.
  if ((req.headersDistinct['host'] ?? []).length > 1 || parseUrl(named) === null || !isLoopback(named)) {
    throw new AppError(
      421,
      'foreign_host',
      `This port listens on loopback, and ${host || 'no host'} is not a name of it. Use http://127.0.0.1 or http://localhost with this port.`,
    )
  }
}

/**
 * Refuses state-changing requests that a page of another site makes a browser send; programs send neither header. The
 * rules are those of Go's `http.CrossOriginProtection`.
 *
 * @throws AppError `cross_site` (403)
 */
export function checkSameOrigin(ctx: Context): void {
  const site = ctx.get('Sec-Fetch-Site')
  const origin = ctx.get('Origin')
  const isOurs =
    site !== '' ? ['same-origin', 'none'].includes(site) : origin === '' || parseUrl(origin)?.host === ctx.host
  if (!isOurs) {
    throw new AppError(403, 'cross_site', 'The request comes from a page of another site. Use the forms of this desk.')
  }
}
