import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { isIPv4 } from 'node:net'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { AppError } from '../../../shared/runtime/errors.js'
import { parseUrl } from '../../../shared/text/parse-url.js'
import { html, renderPage } from './page.js'

/** For how long a browser stays signed in. */
const sessionSeconds = 12 * 3_600

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

const cookieName = 'catalog-desk'

/** A form with a token of the maximum length is shorter, also when every character is escaped. */
const maxFormBytes = 1_024

/** Whether a request is allowed, by its cookie or its bearer token. @throws AppError `too_many_tokens` (429) */
export function isSignedIn(ctx: Context, access: Access): boolean {
  const bearer = /^Bearer +(\S+)$/i.exec(ctx.get('Authorization'))?.[1]
  if (bearer !== undefined) {
    return access.isToken(bearer, ctx.ip)
  }
  const session = ctx.cookies.get(cookieName)
  return session !== undefined && access.isSession(session)
}

/** Asks for the token: browsers by a form. */
export function askForToken(ctx: Context, fault: string | null = null): void {
  ctx.status = 401
  ctx.set('WWW-Authenticate', 'Bearer realm="Operator\'s desk"')
  if (ctx.accepts('text', 'html') !== 'html') {
    ctx.body = 'Send the token of OPERATIONS_TOKEN: Authorization: Bearer <token>\n'
    return
  }
  ctx.type = 'html'
  ctx.body = renderPage({
    title: 'Sign in',
    main: html`<h1>Sign in</h1>
${fault === null ? null : html`<p class="notice bad" role="alert">${fault}</p>`}
<form method="post" action="/sign-in" class="sign-in">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required maxlength="256" aria-describedby="hint">
<p id="hint" class="quiet">The value of <code>OPERATIONS_TOKEN</code> of this service.</p>
<button>Sign in</button>
</form>`,
  })
}

/** Signs in with the token of a form. @throws AppError `too_many_tokens` (429), `form_too_large` (413) */
export async function signIn(ctx: Context, access: Access): Promise<boolean> {
  const token = new URLSearchParams(await readForm(ctx)).get('token') ?? ''
  if (!access.isToken(token.trim(), ctx.ip)) {
    askForToken(ctx, 'This is not the token.')
    return false
  }
  ctx.cookies.set(cookieName, access.newSession(), { ...cookieSettings, maxAge: sessionSeconds * 1_000 })
  ctx.status = 303
  ctx.redirect('/')
  return true
}

/** Removes the cookie. */
export function signOut(ctx: Context): void {
  ctx.cookies.set(cookieName, null, cookieSettings)
  ctx.status = 303
  ctx.redirect('/')
}

const cookieSettings = { httpOnly: true, sameSite: 'strict', path: '/' } as const

/** The body of a small form. @throws AppError `form_too_large` (413) */
export async function readForm({ req }: Context): Promise<string> {
  let form = ''
  for await (const chunk of req) {
    form += String(chunk)
    if (form.length > maxFormBytes) {
      throw new AppError(413, 'form_too_large', `The form has more than ${maxFormBytes} bytes: send less.`)
    }
  }
  return form
}

const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))

/** Whether only programs of this machine can reach a URL. */
export const isLoopback = (url: string): boolean => isLoopbackName(new URL(url).hostname)

/**
 * Refuses a name that another site has made point to this machine (DNS rebinding): the pages of that site could read
 * the answers.
 *
 * @throws AppError `foreign_host` (421)
 */
export function checkLoopbackHost({ host, req }: Context): void {
  const named = `http://${host}`
  // A proxy may have checked another of several `Host` headers.
  if ((req.headersDistinct['host'] ?? []).length > 1 || parseUrl(named) === null || !isLoopback(named)) {
    throw new AppError(
      421,
      'foreign_host',
      `This port listens on loopback, and ${host || 'no host'} is not a name of it. Use http://127.0.0.1 or http://localhost with this port.`,
    )
  }
}

/**
 * Refuses state-changing requests that a page of another site makes a browser send; programs send neither header. The
 * rules are those of Go's `http.CrossOriginProtection`.
 *
 * @throws AppError `cross_site` (403)
 */
export function checkSameOrigin(ctx: Context): void {
  const site = ctx.get('Sec-Fetch-Site')
  const origin = ctx.get('Origin')
  const isOurs =
    site !== '' ? ['same-origin', 'none'].includes(site) : origin === '' || parseUrl(origin)?.host === ctx.host
  if (!isOurs) {
    throw new AppError(403, 'cross_site', 'The request comes from a page of another site. Use the forms of this desk.')
  }
}
