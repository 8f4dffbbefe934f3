/**
 * The URL that a text is; null: it is none.
 *
 * In place of `URL.canParse`, which in Node 20 and 22 denies texts with letters such as `ä` as soon as it has been called a
 * few thousand times (https://github.com/AikidoSec/firewall-node/pull/1086), and of `URL.parse`, which Node 20 lacks.
 *
 * @param base the address to which a relative one belongs
 */
export function parseUrl(text: string, base?: URL | string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

/** The address of a server for logs and messages: its URL without user, password and a slash at the end. */
export function shownAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

/**
 * The path and query of a request's target. Proxies may send a whole URL, and `OPTIONS` may be sent with `*`.
 *
 * @returns null: the target is none of these, or has a fragment. Node's own parser, and Koa with it, throws for some of them.
 */
export function pathOfTarget(target: string): string | null {
  const url = /^https?:/i.test(target) ? parseUrl(target) : null
  const path = target.startsWith('/') ? target : target === '*' ? '/' : url && `${url.pathname}${url.search}`
  return path?.includes('#') ? null : path
}

/** The path of the search, which a text that is too long for an address asks by POST. */
export const searchPath = '/api/v1/skills/search'

/** Characters of a path and query that the service takes. Proxies and clients take as many (RFC 9110, section 4.1). */
export const maxAddressLength = 8_000

/**
 * The request for an address of the API: GET, or for a search whose path and query are too long for that, POST with the
 * same parameters as JSON.
 *
 * @param address a path with its query, or a whole URL
 * @returns `body` null: by GET
 */
export function apiRequest(address: string): { address: string; body: string | null } {
  const [path = '', query = ''] = address.split('?')
  const origin = /^https?:\/\/[^/]*/.exec(path)?.[0] ?? ''
  if (address.length - origin.length <= maxAddressLength || !path.endsWith(searchPath)) {
    return { address, body: null }
  }
  const parameters = new URLSearchParams(query)
  const values = [...new Set(parameters.keys())].map((name) => {
    const [first, ...others] = parameters.getAll(name)
    return [name, others.length === 0 ? first : [first, ...others]]
  })
  return { address: path, body: JSON.stringify(Object.fromEntries(values)) }
}
