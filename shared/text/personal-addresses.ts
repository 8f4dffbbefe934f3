import { handlePattern } from '../records/prompt.js'
import { cleanLine, cut, limitMarks, shorten } from './clean-text.js'
import { removeCredentials } from './credentials.js'
import { findAddresses, maxAddressLength, mayHoldAddress } from './find-addresses.js'
import { splitList } from './split-list.js'
import { unwrap } from './unwrap.js'

/** Maximum characters of a name that may be a handle: a profile's URL. */
const maxNameLength = 200

const replacement = '(address removed)'

/**
 * The first handle in an author's name or list of names. An `@` other than at the start makes it an e-mail address,
 * which is skipped.
 */
export function findHandle(authors: unknown[]): string | null {
  for (const value of authors.flat()) {
    const names = unwrap(value, ['login', 'handle', 'username', 'name'])
    for (const name of typeof names === 'string' ? splitList(names) : []) {
      const candidate = toHandle(name.trim())
      if (candidate !== null) {
        return candidate
      }
    }
  }
  return null
}

function toHandle(name: string): string | null {
  if (name.length > maxNameLength) {
    return null
  }
  const candidate = cleanLine(limitMarks(name).normalize('NFKC'))
    ?.replace(/^https?:\/\/(?:www\.)?github\.com\//i, '')
    .replace(/^@/, '')
  return candidate !== undefined &&
    handlePattern.test(candidate) &&
    !/[,|;]|^[[{(]/.test(candidate) &&
    !mayHoldAddress(candidate)
    ? candidate
    : null
}

/**
 * Removes e-mail addresses and credentials from a text. People sign their records with the first, and crawlers copy both;
 * a public catalog must not publish them.
 *
 * @param maxCharacters of the result; a longer text is shortened as by `shorten`, never within an address
 */
export function removeAddresses(given: string, maxCharacters = Number.POSITIVE_INFINITY): string {
  const text = removeCredentials(given)
  const isLong = text.length > maxCharacters
  // The result cannot include anything after this.
  const near = isLong ? text.slice(0, maxCharacters + maxAddressLength) : text
  if (!mayHoldAddress(near)) {
    return shorten(near, maxCharacters)
  }
  const parts: string[] = []
  let end = 0
  for (const address of findAddresses(near)) {
    if (address.start >= maxCharacters) {
      break
    }
    parts.push(near.slice(end, address.start), replacement)
    end = address.end
  }
  parts.push(near.slice(end, Math.max(end, maxCharacters)))
  const cleaned = parts.join('')
  return isLong || cleaned.length > maxCharacters ? cut(cleaned, maxCharacters) : cleaned
}

/** Whether a text has an e-mail address or credentials. */
export const holdsAddress = (text: string): boolean =>
  (mayHoldAddress(text) && !findAddresses(text).next().done) || removeCredentials(text) !== text
