import { WebAddress } from '../records/fields.js'
import { removeCredentials } from './credentials.js'
import { parseUrl } from './parse-url.js'
import { holdsAddress } from './personal-addresses.js'

/**
 * A web URL as it may be published: without credentials.
 *
 * @returns null when it is no http or https URL (`mailto:` is none), or has an e-mail address
 */
export function toPublicAddress(text: unknown): string | null {
  const { data } = WebAddress.safeParse(text)
  const address = data === undefined ? null : withoutCredentials(data)
  return address === null || holdsAddress(address) ? null : address
}

/** An address that shows to people which part is its host. */
const shown = /^https?:\/\/[^/\\]/i

/**
 * A web URL without user name, password and secret parameters. It is rebuilt from its parts where a browser reads other
 * parts than the text shows: `https:///user:password@host`.
 *
 * @returns null when it is no URL, or none is left
 */
export function withoutCredentials(address: string): string | null {
  const text = removeCredentials(address)
  const url = parseUrl(text)
  if (url === null || (text !== address && parseUrl(address) === null)) {
    return null
  }
  if (shown.test(address) && url.username === '' && url.password === '') {
    return text
  }
  url.username = ''
  url.password = ''
  return url.href
}
