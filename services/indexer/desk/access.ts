import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { AppError } from '../../../shared/runtime/errors.js'

/** For how long a browser stays signed in. */
export const sessionSeconds = 12 * 3_600

/** Wrong tokens that a client address may send in a minute. */
const maxWrongTokens = 10
const windowSeconds = 60

/** Addresses whose wrong tokens are counted at the same time. */
const maxAddresses = 10_000

/** Compares in a time that does not depend on the texts. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** Decides who may use the desk: those who know the token. */
export class Access {
  readonly #token: string
  readonly #clock: () => Date
  readonly #wrongTokens = new LRUCache<string, number>({ max: maxAddresses, ttl: windowSeconds * 1_000 })

  constructor(token: string, clock: () => Date) {
    this.#token = token
    this.#clock = clock
  }

  /**
   * Checks a token. After too many wrong ones the right one is refused as well, so that guessing shows nothing.
   *
   * @param address of the client
   * @throws AppError `too_many_tokens` (429)
   */
  isToken(token: string, address: string): boolean {
    const wrong = this.#wrongTokens.get(address) ?? 0
    if (wrong >= maxWrongTokens) {
      throw new AppError(429, 'too_many_tokens', `Too many wrong tokens. Try again in ${windowSeconds} seconds.`, {
        headers: { 'Retry-After': String(windowSeconds) },
      })
    }
    if (isEqual(token, this.#token)) {
      return true
    }
    this.#wrongTokens.set(address, wrong + 1, { noUpdateTTL: true })
    return false
  }

  /**
   * A session for a cookie: not the token, since browsers send cookies to every port of a host. It is valid in all
   * processes with this token, until it expires or the token changes.
   */
  newSession(): string {
    const expires = String(this.#clock().getTime() + sessionSeconds * 1_000)
    return `${expires}.${this.#sign(expires)}`
  }

  /** Whether `newSession` has made this, and it has not expired. */
  isSession(session: string): boolean {
    const [expires = '', signature = ''] = session.split('.')
    return isEqual(signature, this.#sign(expires)) && Number(expires) > this.#clock().getTime()
  }

  #sign(expires: string): string {
    return createHmac('sha256', this.#token)
      .update(`session of the operator's desk until ${expires}`)
      .digest('base64url')
  }
}
