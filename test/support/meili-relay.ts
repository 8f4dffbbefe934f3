import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { listen } from './local-server.js'

/** A request on its way to Meilisearch. */
export interface RelayedRequest {
  method: string
  /** Without its parameters. */
  path: string
  params: URLSearchParams
  body: string
  headers: IncomingHttpHeaders
  connection: Socket
}

/** The response of Meilisearch, or of a proxy in front of it. */
export interface RelayedAnswer {
  status: number
  body: string
}

/** Forwards a request, with this body or its own, even when its client has disconnected. */
type Forward = (body?: string) => Promise<RelayedAnswer>

/**
 * Decides on a request: respond with the result of `forward` or another response; null closes the connection.
 */
type Script = (request: RelayedRequest, forward: Forward) => Promise<RelayedAnswer | null>

/** A relay between the adapter and a real Meilisearch, for faults that the latter cannot produce. */
export class MeiliRelay {
  /** The requests, in order. */
  readonly requests: RelayedRequest[] = []
  url = ''
  script: Script = (_request, forward) => forward()
  readonly #server: Server

  private constructor(target: string) {
    this.#server = createServer(async (incoming, outgoing) => {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) {
        chunks.push(chunk)
      }
      const { pathname: path, searchParams: params } = new URL(incoming.url ?? '/', target)
      const { method = 'GET', headers, socket: connection } = incoming
      const request = { method, path, params, body: Buffer.concat(chunks).toString(), headers, connection }
      this.requests.push(request)
      const answer = await this.script(request, async (body = request.body) => {
        const response = await fetch(new URL(incoming.url ?? '/', target), {
          method,
          headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
          ...(body === '' ? {} : { body }),
        })
        return { status: response.status, body: await response.text() }
      })
      if (answer === null) {
        connection.destroy()
        return
      }
      outgoing.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body)
    })
  }

  static async before(target: string): Promise<MeiliRelay> {
    const relay = new MeiliRelay(target)
    relay.url = await listen(relay.#server)
    return relay
  }

  /** The requests that post documents. */
  get posts(): RelayedRequest[] {
    return this.requests.filter(isPost)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** Whether a request posts documents. */
export const isPost = ({ method, path }: RelayedRequest): boolean => method === 'POST' && path.endsWith('/documents')

/** Responds as Meilisearch does when it refuses a request. */
export const refusal = (status: number, code: string): RelayedAnswer => ({
  status,
  body: JSON.stringify({ message: `refused: ${code}`, code, type: 'invalid_request', link: '' }),
})
