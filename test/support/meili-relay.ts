import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request on its way to Meilisearch. */
export interface RelayedRequest {
  method: string
  /** Without its parameters. */
  path: string
  params: URLSearchParams
  body: string
}

/** What Meilisearch, or whatever stands before it, answers. */
export interface RelayedAnswer {
  status: number
  body: string
}

/** Passes a request on, with this body or its own, also when whoever sent it has gone. */
type Forward = (body?: string) => Promise<RelayedAnswer>

/**
 * Decides on a request: pass it on by `forward`, and give what comes back, or something else; null cuts the connection.
 */
type Script = (request: RelayedRequest, forward: Forward) => Promise<RelayedAnswer | null>

/** Stands between the adapter and a real Meilisearch, to show faults that the latter cannot be made to show. */
export class MeiliRelay {
  /** What was asked for, in order. */
  readonly requests: RelayedRequest[] = []
  script: Script = (_request, forward) => forward()
  readonly #server: Server

  private constructor(target: string) {
    this.#server = createServer(async (incoming, outgoing) => {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) {
        chunks.push(chunk)
      }
      const { pathname: path, searchParams: params } = new URL(incoming.url ?? '/', target)
      const { method = 'GET' } = incoming
      const request = { method, path, params, body: Buffer.concat(chunks).toString() }
      this.requests.push(request)
      const answer = await this.script(request, async (body = request.body) => {
        const response = await fetch(new URL(incoming.url ?? '/', target), {
          method,
          headers: { authorization: incoming.headers.authorization ?? '', 'content-type': 'application/json' },
          ...(body === '' ? {} : { body }),
        })
        return { status: response.status, body: await response.text() }
      })
      if (answer === null) {
        incoming.socket.destroy()
        return
      }
      outgoing.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body)
    })
  }

  static async before(target: string): Promise<MeiliRelay> {
    const relay = new MeiliRelay(target)
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve))
    return relay
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
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

/** Answers as Meilisearch refuses things. */
export const refusal = (status: number, code: string): RelayedAnswer => ({
  status,
  body: JSON.stringify({ message: `refused: ${code}`, code, type: 'invalid_request', link: '' }),
})
