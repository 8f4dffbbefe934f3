import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach } from '@jest/globals'
import { sendJson } from './embedding-server.js'

/** A received request. */
interface RerankingRequest {
  path: string
  headers: IncomingHttpHeaders
  body: { model: string; query: string; documents: string[]; top_n: number }
}

export interface RerankingServer {
  url: string
  /** The requests, in order. */
  requests: RerankingRequest[]
  /** Answers a request in place of the server, where it is set. */
  fault: ((response: ServerResponse) => unknown) | null
}

const started: Server[] = []

afterEach(async () => {
  for (const server of started.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A server with the reranking API of Cohere at `/rerank`; it ends with the test. @param fitOf how well a text fits */
export async function startRerankingServer(fitOf: (text: string) => number): Promise<RerankingServer> {
  const server = createServer(async (incoming, response) => {
    const body = (await json(incoming)) as RerankingRequest['body']
    reranking.requests.push({ path: incoming.url ?? '', headers: incoming.headers, body })
    if (reranking.fault !== null) {
      return reranking.fault(response)
    }
    const results = body.documents.map((text, index) => ({ index, relevance_score: fitOf(text) }))
    // As servers do: the best first.
    return sendJson(response, 200, { results: results.sort((a, b) => b.relevance_score - a.relevance_score) })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  started.push(server)
  const { port } = server.address() as AddressInfo
  const reranking: RerankingServer = { url: `http://127.0.0.1:${port}`, requests: [], fault: null }
  return reranking
}
