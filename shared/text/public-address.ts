import { WebAddress } from '../records/fields.js'
import { holdsAddress } from './personal-addresses.js'

/**
 * A web address as it may be published: without a user's name and password.
 *
 * @returns null when it is no http or https address (`mailto:` is none), or holds an e-mail address
 */
export function toPublicAddress(text: unknown): string | null {
  const { data } = WebAddress.safeParse(text)
  const address = data !== undefined && URL.canParse(data) ? withoutCredentials(data) : null
  return address === null || holdsAddress(address) ? null : address
}

/** A web address without a user's name and password. */
export function withoutCredentials(address: string): string {
  const url = new URL(address)
  return url.username === '' && url.password === '' ? address : address.replace(/^(https?:\/\/)[^/?#]*@/i, '$1')
}
