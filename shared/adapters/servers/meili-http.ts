import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { type Config, MeilisearchApiError } from 'meilisearch'

type HttpClient = NonNullable<Config['httpClient']>

/** A connection that has been idle for so long is closed by us, before the server or something between does it. */
const idleMs = 15_000

/**
 * How the client sends its searches: with Node's own HTTP, whose connections are kept, since a search through `fetch`
 * costs this process twice the time.
 *
 * @throws MeilisearchApiError when the server refuses the request; the client wraps it, as whatever else is thrown
 */
export function keepAliveHttp(): HttpClient {
  const kept = { keepAlive: true, timeout: idleMs }
  const http = { request: requestHttp, agent: new HttpAgent(kept) }
  const https = { request: requestHttps, agent: new HttpsAgent(kept) }

  const send = (url: URL, init: RequestInit): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { request, agent } = url.protocol === 'https:' ? https : http
      const headers = Object.fromEntries(new Headers(init.headers))
      const signal = init.signal ?? undefined
      const sent = request(url, { agent, method: init.method, headers, signal }, resolve)
      sent.on('error', (error: NodeJS.ErrnoException) => {
        if (signal?.aborted) {
          reject(signal.reason)
        } else if (sent.reusedSocket && error.code === 'ECONNRESET') {
          // The server closed it in the very moment: nothing was asked yet.
          send(url, init).then(resolve, reject)
        } else {
          reject(error)
        }
      })
      sent.end(init.body)
    })

  return async (input, init = {}) => {
    const answer = await send(new URL(input instanceof Request ? input.url : input), init)
    const body = await text(answer)
    const read = body === '' ? undefined : JSON.parse(body)
    const status = answer.statusCode ?? 0
    if (status < 200 || status > 299) {
      throw new MeilisearchApiError(new Response(null, { status }), read)
    }
    return read
  }
}
