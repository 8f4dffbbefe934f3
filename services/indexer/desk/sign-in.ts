import type { Context } from 'koa'
import { AppError } from '../../../shared/runtime/errors.js'
import { html } from '../../../shared/text/html.js'
import { type Access, sessionSeconds } from './access.js'
import { renderPage } from './page.js'

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
