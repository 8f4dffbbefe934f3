import { cleanLine } from './clean-text.js'
import { unwrap } from './unwrap.js'

/** A handle has no `@` in any of the ways in which addresses are disguised. */
const handle = /^(?!.*(?:%40|[([{]\s*at\s*[)\]}]))[^\s@]{1,100}$/i

/** An e-mail address in a text. */
const address = /[\p{L}\p{N}._%+-]+(?:@|＠|%40)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/giu

/**
 * The first handle among what is told of an author: a name or a list of names. An `@` anywhere but in front makes an
 * address, and an address is nobody's handle: it is passed over and appears nowhere in the record.
 */
export function findHandle(told: unknown[]): string | null {
  for (const value of told.flat()) {
    const names = unwrap(value, ['login', 'handle', 'username', 'name'])
    for (const name of typeof names === 'string' ? names.split(/[,;|]/) : []) {
      const candidate = cleanLine(name.normalize('NFKC'))
        ?.replace(/^https?:\/\/(?:www\.)?github\.com\//i, '')
        .replace(/^@/, '')
      if (candidate !== undefined && handle.test(candidate)) {
        return candidate
      }
    }
  }
  return null
}

/**
 * Takes e-mail addresses out of texts and lists of texts. People sign their prompts with them, and forms that were
 * filled in are handed on; a public catalog repeats nobody's address.
 */
export function withoutAddresses<T>(value: T): T
export function withoutAddresses(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((each) => withoutAddresses(each))
  }
  return typeof value === 'string' ? value.replace(address, '(address removed)') : value
}
