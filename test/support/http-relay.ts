import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { listen } from './local-server.js'

/** A request on its way to the server. */
export interface RelayedRequest {
  method: string
  /** Without its parameters. */
  path: string
  params: URLSearchParams
  body: string
  headers: IncomingHttpHeaders
  connection: Socket
}

/** The response of the server, or of a proxy in front of it. */
export interface RelayedAnswer {
  status: number
  /** Default: those of JSON. */
  headers?: OutgoingHttpHeaders
  body: string | Buffer
  /** The connection is interrupted after this number of bytes of the body, once `when` has resolved; absent: never. */
  cut?: { afterBytes: number; when: () => Promise<void> }
}

/** Forwards a request, with this body or its own, even when its client has disconnected. */
type Forward = (body?: string) => Promise<RelayedAnswer>

const forwarded = ['authorization', 'content-type', 'range', 'if-range']

/** A relay between a client and a real service, for faults that the latter cannot produce. */
export class HttpRelay {
  /** The requests, in order. */
  readonly requests: RelayedRequest[] = []
  url = ''
  /** Decides on a request: respond with the result of `forward` or another response; null closes the connection. */
  script: (request: RelayedRequest, forward: Forward) => Promise<RelayedAnswer | null> = (_request, forward) =>
    forward()
  readonly #server: Server

  private constructor(target: string) {
    this.#server = createServer(async (incoming, outgoing) => {
      const { method = 'GET', headers, socket: connection } = incoming
      const url = new URL(incoming.url ?? '/', target)
      const { pathname: path, searchParams: params } = url
      const request = { method, path, params, body: await text(incoming), headers, connection }
      this.requests.push(request)
      const answer = await this.script(request, (body = request.body) => forward(url, { ...request, body }))
      if (answer === null) {
        connection.destroy()
        return
      }
      const { status, headers: answered = { 'Content-Type': 'application/json' }, body, cut } = answer
      outgoing.writeHead(status, answered)
      if (cut === undefined) {
        outgoing.end(body)
      } else {
        outgoing.write(body.slice(0, cut.afterBytes))
        await cut.when()
        outgoing.destroy()
      }
    })
  }

  static async before(target: string): Promise<HttpRelay> {
    const relay = new HttpRelay(target)
    relay.url = await listen(relay.#server)
    return relay
  }

  /** The requests that post documents to Meilisearch. */
  get posts(): RelayedRequest[] {
    return this.requests.filter(isPost)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

async function forward(url: URL, { method, body, headers }: RelayedRequest): Promise<RelayedAnswer> {
  const passed = forwarded.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))
  const response = await fetch(url, {
    method,
    headers: { ...Object.fromEntries(passed), 'accept-encoding': 'identity' },
    ...(body === '' ? {} : { body }),
  })
  const kept = [...response.headers].filter(([name]) => !['connection', 'keep-alive'].includes(name))
  return { status: response.status, headers: Object.fromEntries(kept), body: Buffer.from(await response.arrayBuffer()) }
}

/** Whether a request posts documents to Meilisearch. */
export const isPost = ({ method, path }: RelayedRequest): boolean => method === 'POST' && path.endsWith('/documents')

/** Responds as Meilisearch does when it refuses a request. */
export const refusal = (status: number, code: string): RelayedAnswer => ({
  status,
  body: JSON.stringify({ message: `refused: ${code}`, code, type: 'invalid_request', link: '' }),
})
