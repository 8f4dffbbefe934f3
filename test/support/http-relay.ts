import { createServer, type IncomingHttpHeaders } from 'node:http'
import { listenForTest } from './after-test.js'

/** A forwarded request. */
interface RelayedRequest {
  path: string
  headers: IncomingHttpHeaders
}

/** A forwarded response. */
interface RelayedAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** The connection is interrupted after this number of bytes of the body, once `when` has resolved; absent: never. */
  cut?: { afterBytes: number; when: () => Promise<void> }
}

interface HttpRelay {
  url: string
  /** The requests, in order. */
  requests: RelayedRequest[]
  /** Decides on the response: that of `forward`, or another one. */
  script: (request: RelayedRequest, forward: () => Promise<RelayedAnswer>) => Promise<RelayedAnswer>
}

/** A relay in front of a real service, for faults that the service cannot produce. */
export async function startRelay(target: string): Promise<HttpRelay> {
  const relay: HttpRelay = { url: '', requests: [], script: (_request, forward) => forward() }
  const server = createServer(async (incoming, outgoing) => {
    const request = { path: incoming.url ?? '/', headers: incoming.headers }
    relay.requests.push(request)
    const { status, headers, body, cut } = await relay.script(request, () => forward(target, request))
    outgoing.writeHead(status, headers)
    if (cut === undefined) {
      outgoing.end(body)
    } else {
      outgoing.write(body.subarray(0, cut.afterBytes))
      await cut.when()
      outgoing.destroy()
    }
  })
  relay.url = await listenForTest(server)
  return relay
}

async function forward(target: string, { path, headers }: RelayedRequest): Promise<RelayedAnswer> {
  const passed = ['range', 'if-range'].flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))
  const response = await fetch(`${target}${path}`, {
    headers: { ...Object.fromEntries(passed), 'accept-encoding': 'identity' },
  })
  const kept = [...response.headers].filter(([name]) => !['connection', 'keep-alive'].includes(name))
  return { status: response.status, headers: Object.fromEntries(kept), body: Buffer.from(await response.arrayBuffer()) }
}
