import { finished, type Readable } from 'node:stream'
import type { RequestContext } from '../middleware/state.js'
import { contentSecurityPolicy } from './fixed-headers.js'

/** What is sent: a text, its bytes, or a file; null: nothing. */
export type Body = string | Buffer | Readable | null

/**
 * Sends an answer, its headers in one call: setting them one by one would cost as much as the rest of a short request.
 *
 * @param headers names and values in turn, in addition to those of every answer to this request; the length of a text is
 * added
 */
export function send(ctx: RequestContext, status: number, headers: string[], body: Body): void {
  const { res } = ctx
  const all = [...ctx.state.headers, ...headers]
  if (!headers.includes('Content-Security-Policy')) {
    all.push('Content-Security-Policy', contentSecurityPolicy)
  }
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    all.push('Content-Length', String(Buffer.byteLength(body)))
  }
  res.writeHead(status, all)
  ctx.respond = false
  if (typeof body === 'string' || Buffer.isBuffer(body) || body === null) {
    // Node leaves the body out where there must be none: for HEAD, 204 and 304.
    res.end(body)
  } else {
    // A file that cannot be read to its end must not look like a whole one.
    body.on('error', (error) => {
      ctx.app.emit('error', error, ctx)
      res.destroy()
    })
    // Also called where the client has left before.
    finished(res, () => body.destroy())
    body.pipe(res)
  }
}
