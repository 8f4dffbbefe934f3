import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { HttpEmbedder, type HttpTiming } from '../../shared/adapters/embedders/http-embedder.js'
import type { HttpEmbedderConfig } from '../../shared/runtime/query-config.js'
import { afterTest } from '../support/after-test.js'
import { type EmbeddingServer, startEmbeddingServer } from '../support/model-servers.js'
import { silentLog } from '../support/test-log.js'

function openaiOf(
  { url }: EmbeddingServer,
  config: Partial<HttpEmbedderConfig> = {},
  timing: Partial<HttpTiming> = {},
): HttpEmbedder {
  const embedder = new HttpEmbedder(
    { kind: 'openai', url: `${url}/v1`, key: null, model: 'a-model', requestsPerMinute: null, ...config },
    { log: silentLog(), timing },
  )
  afterTest(() => embedder.close())
  return embedder
}

const ollamaOf = (server: EmbeddingServer) => openaiOf(server, { kind: 'ollama', url: server.url })

/** Vectors that show which text each belongs to; they have no meaning. */
const lengthsOf = async (texts: string[]) => texts.map((text) => [3 * text.length, 4 * text.length, 0])
const unitOf = (length: number) => Float32Array.from(length === 0 ? [0, 0, 0] : [0.6, 0.8, 0])

describe('requests', () => {
  test('the API of OpenAI: path, model, texts, key; vectors of unit length in the order of the texts', async () => {
    const server = await startEmbeddingServer(async (texts) => texts.map((text) => [text.length, 0, 1]))
    const embedder = openaiOf(server, { key: 'sk-test' })

    const vectors = await embedder.embed(['seven', 'a'], 'document')

    expect(vectors).toEqual([
      Float32Array.from([5 / Math.sqrt(26), 0, 1 / Math.sqrt(26)]),
      Float32Array.from([Math.SQRT1_2, 0, Math.SQRT1_2]),
    ])
    expect(server.requests).toEqual([
      expect.objectContaining({ path: '/v1/embeddings', body: { model: 'a-model', input: ['a', 'seven'] } }),
    ])
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer sk-test',
      'content-type': 'application/json',
    })
    expect(embedder.model).toBe('openai:a-model')
  })

  test('the API of Ollama: path, and no key without one', async () => {
    const server = await startEmbeddingServer(lengthsOf)
    const embedder = ollamaOf(server)

    expect(await embedder.embed(['a', 'bc'], 'query')).toEqual([unitOf(1), unitOf(2)])
    expect(server.requests[0]).toMatchObject({ path: '/api/embed', body: { model: 'a-model', input: ['a', 'bc'] } })
    expect(server.requests[0]?.headers.authorization).toBeUndefined()
    expect(embedder.model).toBe('ollama:a-model')
  })

  test('many texts are sent in batches of 64, four at once', async () => {
    const server = await startEmbeddingServer(async (texts) => {
      // None is answered before four have arrived.
      while (server.requests.length < 4) {
        await sleep(1)
      }
      return texts.map((text) => [Number(text), 1])
    })

    const vectors = await openaiOf(server).embed(
      Array.from({ length: 1_000 }, (_, at) => String(at)),
      'document',
    )

    expect(vectors.map(([x = 0, y = 0]) => Math.round(x / y))).toEqual(vectors.map((_, at) => at))
    const sizes = server.requests.map(({ body }) => body.input.length).sort((a, b) => b - a)
    expect(sizes).toEqual([...Array(15).fill(64), 40])
    expect(server.maxAtOnce).toBe(4)
  })

  test('long texts are shortened to 4,000 characters, and a request has at most 64,000', async () => {
    const server = await startEmbeddingServer(lengthsOf)

    await openaiOf(server).embed(Array(40).fill('long '.repeat(2_000)), 'document')

    const sizes = server.requests.map(({ body }) => body.input.length).sort((a, b) => b - a)
    expect(sizes).toEqual([16, 16, 8])
    expect(server.requests[0]?.body.input[0]?.length).toBeLessThanOrEqual(4_000)
  })

  test('an empty text is not sent, and has a vector of zeros', async () => {
    const server = await startEmbeddingServer(lengthsOf)
    const embedder = openaiOf(server)

    expect(await embedder.embed(['', 'a', ' \n'], 'document')).toEqual([unitOf(0), unitOf(1), unitOf(0)])
    expect(await embedder.embed([], 'document')).toEqual([])
    expect(server.requests.map(({ body }) => body.input)).toEqual([['a']])
  })

  test('the dimensions are asked for once', async () => {
    const server = await startEmbeddingServer(lengthsOf)
    const embedder = openaiOf(server)

    expect(await Promise.all([embedder.dimensions(), embedder.dimensions()])).toEqual([3, 3])
    expect(await embedder.dimensions()).toBe(3)
    expect(server.requests).toHaveLength(1)
  })

  test('a query does not wait for documents', async () => {
    const server = await startEmbeddingServer(async (texts) => {
      await sleep(texts.length > 1 ? 100 : 0)
      return lengthsOf(texts)
    })
    const embedder = openaiOf(server)
    const ended: string[] = []
    const documents = embedder.embed(Array(640).fill('text'), 'document').then(() => ended.push('documents'))
    await embedder.embed(['query'], 'query').then(() => ended.push('query'))
    await documents

    expect(ended).toEqual(['query', 'documents'])
  })
})

describe('EMBEDDER_REQUESTS_PER_MINUTE', () => {
  test('a query beyond the limit fails at once, a document waits', async () => {
    const server = await startEmbeddingServer(lengthsOf)
    const embedder = openaiOf(server, { requestsPerMinute: 2 })
    await embedder.embed(['a'], 'query')
    await embedder.embed(['b'], 'query')

    await expect(embedder.embed(['c'], 'query')).rejects.toMatchObject({
      code: 'embedder_unavailable',
      status: 503,
      headers: { 'Retry-After': '60' },
    })
    const stop = new AbortController()
    const waiting = embedder.embed(['d'], 'document', stop.signal)
    await sleep(50)
    stop.abort(new Error('stopped by the test'))

    await expect(waiting).rejects.toThrow('stopped by the test')
    expect(server.requests).toHaveLength(2)
  })

  test('documents are spaced evenly, and leave a tenth to queries', async () => {
    const server = await startEmbeddingServer(lengthsOf)
    // 900 documents a minute: one in 66.7 ms.
    const embedder = openaiOf(server, { requestsPerMinute: 1_000 })

    const startedMs = performance.now()
    await embedder.embed(Array(6 * 64).fill('text'), 'document')

    expect(server.requests).toHaveLength(6)
    expect(performance.now() - startedMs).toBeGreaterThan(5 * 66)
  })
})

describe('an aborted call', () => {
  test('ends with the reason, and closes its request', async () => {
    const server = await startEmbeddingServer(lengthsOf)
    const closed = new Promise<void>((resolve) => {
      server.fault = (response) => {
        response.on('close', resolve)
        return true
      }
    })
    const stop = new AbortController()
    const embedding = openaiOf(server).embed(['a'], 'document', stop.signal)
    while (server.requests.length === 0) {
      await sleep(5)
    }
    stop.abort(new Error('stopped by the test'))

    await expect(embedding).rejects.toThrow('stopped by the test')
    await closed
  })

  test('close ends running calls', async () => {
    const server = await startEmbeddingServer(lengthsOf)
    server.fault = () => true
    const embedder = openaiOf(server)
    const embedding = embedder.embed(['a'], 'document')
    // Handled below; the request must be running first.
    embedding.catch(() => undefined)
    while (server.requests.length === 0) {
      await sleep(5)
    }
    await embedder.close()

    await expect(embedding).rejects.toMatchObject({ code: 'embedder_unavailable' })
  })
})
