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
  const address = data !== undefined && parseUrl(data) !== null ? withoutCredentials(data) : null
  return address === null || holdsAddress(address) ? null : address
}

/**
 * A web URL without user name, password and secret parameters. It is rebuilt from its parts where a browser reads other
 * parts than the text shows: `https:///user:password@host`.
 */
export function withoutCredentials(address: string): string {
  const url = new URL(removeCredentials(address))
  const isShown = /^https?:\/\/[^/\\]/i.test(address) && url.username === '' && url.password === ''
  url.username = ''
  url.password = ''
  return isShown ? removeCredentials(address) : url.href
}
