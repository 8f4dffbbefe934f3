import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from '@jest/globals'

/** A request on its way. */
interface RelayedRequest {
  path: string
  headers: IncomingHttpHeaders
}

/** An answer on its way back. */
interface RelayedAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** The connection is cut behind so many bytes of the body, once `when` has resolved; absent: it is not. */
  cut?: { afterBytes: number; when: () => Promise<void> }
}

interface HttpRelay {
  url: string
  /** What was asked for, in order. */
  requests: RelayedRequest[]
  /** Decides what is answered: what comes back from `forward`, or something else. */
  script: (request: RelayedRequest, forward: () => Promise<RelayedAnswer>) => Promise<RelayedAnswer>
}

/** Stands between a client and a real service, to show faults that the latter cannot be made to show. */
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  relay.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  ends.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
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

const ends: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0)) {
    await end()
  }
})
