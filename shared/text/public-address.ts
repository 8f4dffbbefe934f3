import { WebAddress } from '../records/fields.js'
import { holdsAddress } from './personal-addresses.js'

/**
 * A web URL as it may be published: without user name and password.
 *
 * @returns null when it is no http or https URL (`mailto:` is none), or has an e-mail address
 */
export function toPublicAddress(text: unknown): string | null {
  const { data } = WebAddress.safeParse(text)
  const address = data !== undefined && URL.canParse(data) ? withoutCredentials(data) : null
  return address === null || holdsAddress(address) ? null : address
}

/** A web URL without user name and password. */
export function withoutCredentials(address: string): string {
  if (!address.includes('@')) {
    return address
  }
  const url = new URL(address)
  return url.username === '' && url.password === '' ? address : address.replace(/^(https?:\/\/)[^/?#]*@/i, '$1')
}
