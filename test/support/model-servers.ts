import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { closeNow, listenForTest } from './after-test.js'
import { listen } from './local-server.js'

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
  const embeddings: EmbeddingServer = {
    url: await listenForTest(server),
    requests: [],
    maxAtOnce: 0,
    fault: () => false,
    close: () => closeNow(server),
    restart: async () => void (await listen(server, Number(new URL(embeddings.url).port))),
  }
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
  const reranking: RerankingServer = { url: await listenForTest(server), requests: [], fault: null }
  return reranking
}
