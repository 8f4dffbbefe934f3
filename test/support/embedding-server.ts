import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach } from '@jest/globals'

/** A received request. */
interface EmbeddingRequest {
  path: string
  headers: IncomingHttpHeaders
  body: { model: string; input: string[] }
  receivedAtMs: number
}

export interface EmbeddingServer {
  url: string
  /** The requests, in order. */
  requests: EmbeddingRequest[]
  /** How many requests were in progress at the same time, at most. */
  maxAtOnce: number
  /** Answers a request in place of the server; resolves with false to let the server answer. Default: it does. */
  fault: (response: ServerResponse, request: EmbeddingRequest) => Promise<boolean> | boolean
  /** Refuses connections until `restart`. */
  close(): Promise<void>
  restart(): Promise<void>
}

/**
 * A server with the API of OpenAI at `/v1/embeddings` and that of Ollama at `/api/embed`; it ends with the test.
 *
 * @param vectorsOf the vectors of texts
 */
export async function startEmbeddingServer(
  vectorsOf: (texts: string[]) => Promise<Iterable<number>[]>,
): Promise<EmbeddingServer> {
  let atOnce = 0
  const server = createServer(async (incoming, response) => {
    atOnce += 1
    embeddings.maxAtOnce = Math.max(embeddings.maxAtOnce, atOnce)
    response.on('close', () => {
      atOnce -= 1
    })
    const body = (await json(incoming)) as EmbeddingRequest['body']
    const request = { path: incoming.url ?? '', headers: incoming.headers, body, receivedAtMs: performance.now() }
    embeddings.requests.push(request)
    if (!(await embeddings.fault(response, request))) {
      const vectors = (await vectorsOf(body.input)).map((vector) => [...vector])
      sendJson(response, 200, answers[request.path]?.(vectors) ?? { error: 'no such path' })
    }
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const embeddings: EmbeddingServer = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    maxAtOnce: 0,
    fault: () => false,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    restart: () => listen(port),
  }
  ends.push(embeddings.close)
  return embeddings
}

/** The response with these vectors, by path. */
const answers: Record<string, (vectors: number[][]) => object> = {
  // In another order than that of the texts, which the API allows.
  '/v1/embeddings': (vectors) => ({ data: vectors.map((embedding, index) => ({ index, embedding })).reverse() }),
  '/api/embed': (embeddings) => ({ embeddings }),
}

/** Sends JSON as the whole response. */
export function sendJson(response: ServerResponse, status: number, content: unknown, headers = {}): true {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(content))
  return true
}

const ends: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0)) {
    await end()
  }
})
