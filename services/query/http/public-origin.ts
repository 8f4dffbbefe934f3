import type { QueryConfig } from '../../../shared/runtime/query-config.js'

/** Allowed Host headers: a name or an address, and a port. Anything else must not be copied into a response. */
const hostForm = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/

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
  return `${encrypted ? 'https' : 'http'}://${hostForm.test(host) ? host : 'localhost'}`
}
