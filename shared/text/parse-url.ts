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
