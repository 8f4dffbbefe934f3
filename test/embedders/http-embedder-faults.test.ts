import type { ServerResponse } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import { HttpEmbedder, type HttpTiming } from '../../shared/adapters/embedders/http-embedder.js'
import type { TextPurpose } from '../../shared/ports/embedder.js'
import type { HttpEmbedderConfig } from '../../shared/runtime/query-config.js'
import { afterTest } from '../support/after-test.js'
import { freePort } from '../support/local-server.js'
import { type EmbeddingServer, sendJson, startEmbeddingServer } from '../support/model-servers.js'
import { keptLog, silentLog } from '../support/test-log.js'

const key = 'sk-very-secret'
const text = 'Extracts tables'
const vectorsOf = async (texts: string[]) => texts.map(() => [1, 0])

function openEmbedder(
  url: string,
  timing: Partial<HttpTiming> = {},
  kind: HttpEmbedderConfig['kind'] = 'ollama',
  log = silentLog(),
) {
  const embedder = new HttpEmbedder(
    { kind, url, key, model: 'a-model', requestsPerMinute: null },
    { log, timing: { retryMs: 2_000, firstPauseMs: 20, ...timing } },
  )
  afterTest(() => embedder.close())
  return embedder
}

/** Answers the first requests with these faults, and later ones as it should. */
function failFirst(server: EmbeddingServer, ...faults: ((response: ServerResponse) => unknown)[]): void {
  server.fault = (response) => {
    const fault = faults.shift()
    fault?.(response)
    return fault !== undefined
  }
}

/** Answers every request so. */
async function serverWith(fault: (response: ServerResponse) => unknown): Promise<EmbeddingServer> {
  const server = await startEmbeddingServer(vectorsOf)
  server.fault = (response) => {
    fault(response)
    return true
  }
  return server
}

/** The error of one call. */
async function errorOf(embedder: HttpEmbedder, purpose: TextPurpose = 'document', sent = text): Promise<Error> {
  return embedder.embed([sent], purpose).then(
    () => {
      throw new Error('the call should have failed')
    },
    (error) => error,
  )
}

describe('temporary faults', () => {
  test('a server that is down: documents are tried until the time limit, queries once', async () => {
    const { log, lines } = keptLog()
    const embedder = openEmbedder(`http://127.0.0.1:${await freePort()}`, { retryMs: 1_000 }, 'ollama', log)

    expect(await errorOf(embedder)).toMatchObject({
      code: 'embedder_unavailable',
      status: 503,
      message: expect.stringContaining('/api/embed does not answer (ECONNREFUSED)'),
    })
    const retries = lines.length
    expect(retries).toBeGreaterThan(0)
    expect(lines[0]).toMatchObject({ msg: 'embedder does not answer: retrying' })
    expect(await errorOf(embedder, 'query')).toMatchObject({ code: 'embedder_unavailable', status: 503 })
    expect(lines).toHaveLength(retries)
  })

  test.each([
    ['429', (response: ServerResponse) => sendJson(response, 429, { error: 'slow down' })],
    ['408', (response: ServerResponse) => sendJson(response, 408, {})],
    ['425', (response: ServerResponse) => sendJson(response, 425, {})],
    ['500', (response: ServerResponse) => sendJson(response, 500, { error: 'oops' })],
    ['503', (response: ServerResponse) => response.writeHead(503).end('<html>')],
    ['a closed connection', (response: ServerResponse) => response.destroy()],
    [
      'a response that ends early',
      (response: ServerResponse) => {
        response.writeHead(200, { 'Content-Length': 1_000 }).write('{"embeddings":[[0.1')
        setTimeout(() => response.destroy(), 20)
      },
    ],
  ])('after %s a document is sent again, a query is not', async (_, fault) => {
    const server = await startEmbeddingServer(vectorsOf)
    const embedder = openEmbedder(server.url)

    failFirst(server, fault, fault)
    expect(await embedder.embed([text], 'document')).toEqual([Float32Array.from([1, 0])])
    expect(server.requests).toHaveLength(3)
    failFirst(server, fault)
    expect(await errorOf(embedder, 'query')).toMatchObject({ code: 'embedder_unavailable' })
    expect(server.requests).toHaveLength(4)
  })

  test.each([
    ['seconds', () => '1'],
    ['a date', () => new Date(Date.now() + 2_000).toUTCString()],
  ])('Retry-After in %s is waited for', async (_, retryAfter) => {
    const server = await startEmbeddingServer(vectorsOf)
    failFirst(server, (response) => sendJson(response, 429, {}, { 'Retry-After': retryAfter() }))

    await openEmbedder(server.url, { retryMs: 5_000 }).embed([text], 'document')

    const [first, second] = server.requests
    expect(Number(second?.receivedAtMs) - Number(first?.receivedAtMs)).toBeGreaterThan(900)
  })

  test('a Retry-After beyond the time limit ends the call with that time', async () => {
    const server = await serverWith((response) =>
      sendJson(response, 429, { error: 'daily limit' }, { 'Retry-After': '3600' }),
    )

    expect(await errorOf(openEmbedder(server.url))).toMatchObject({
      code: 'embedder_unavailable',
      message: expect.stringContaining('answered 429 (daily limit)'),
      headers: { 'Retry-After': '3600' },
    })
    expect(server.requests).toHaveLength(1)
  })

  test('a server that is too slow', async () => {
    const server = await serverWith(() => undefined)
    const embedder = openEmbedder(server.url, { requestMs: 50 })

    expect(await errorOf(embedder, 'query')).toMatchObject({
      code: 'embedder_unavailable',
      message: expect.stringContaining('no complete answer within 0.05 s'),
    })
  })

  test('when one batch fails, the others are not sent any more', async () => {
    const server = await serverWith((response) => sendJson(response, 401, {}))

    await expect(openEmbedder(server.url).embed(Array(6_400).fill(text), 'document')).rejects.toThrow('401')
    // Of 100 batches: four, and those that began with the first failure.
    expect(server.requests.length).toBeLessThanOrEqual(8)
  })
})

describe('answers that are no vectors', () => {
  test.each([
    ['garbage', 'ollama', '{"embeddings":[[0.1,', 'answered with something else than vectors'],
    ['a page', 'ollama', '<html>', 'answered with something else than vectors'],
    ['NaN', 'ollama', '{"embeddings":[[NaN, 1]]}', 'answered with something else than vectors'],
    ['null in a vector', 'ollama', '{"embeddings":[[null, 1]]}', '(embeddings: 0: 0: Invalid input'],
    ['infinity', 'ollama', '{"embeddings":[[1e999, 1]]}', '(embeddings: 0: 0: Invalid input'],
    ['numbers that overflow', 'ollama', '{"embeddings":[[1e200, 1]]}', 'too large for a vector'],
    ['an empty vector', 'ollama', '{"embeddings":[[]]}', 'answered with something else than vectors'],
    ['the API of another server', 'openai', '{"embeddings":[[0.1, 1]]}', '(data: Invalid input'],
    ['fewer vectors', 'ollama', '{"embeddings":[]}', 'answered with 0 vectors for 1 texts'],
    ['more vectors', 'ollama', '{"embeddings":[[1, 0],[0, 1]]}', 'answered with 2 vectors for 1 texts'],
    ['a wrong index', 'openai', '{"data":[{"index":7,"embedding":[1]}]}', 'an index is missing or repeated'],
  ] as const)('%s', async (_, kind, body, message) => {
    const server = await serverWith((response) => response.writeHead(200).end(body))
    const error = await errorOf(openEmbedder(server.url, {}, kind))

    expect(error).toMatchObject({ code: 'embedder_refused', status: 500 })
    expect(error.message).toContain(message)
    expect(server.requests).toHaveLength(1)
  })

  test('vectors of other dimensions than the first one', async () => {
    let length = 2
    const server = await startEmbeddingServer(async (texts) => texts.map(() => Array(length).fill(1)))
    const embedder = openEmbedder(server.url)
    await embedder.embed([text], 'document')
    length = 3

    expect(await errorOf(embedder, 'query')).toMatchObject({
      code: 'embedder_refused',
      message: expect.stringContaining('a vector of 3 numbers, after one of 2'),
    })
  })

  test('a body without end is not read to its end', async () => {
    const server = await serverWith((response) => {
      const piece = Buffer.alloc(1024 * 1024, ' ')
      const write = () => {
        while (!response.destroyed && response.write(piece)) {
          // Until the connection is full.
        }
      }
      response.writeHead(200).on('drain', write)
      write()
    })

    expect(await errorOf(openEmbedder(server.url))).toMatchObject({
      code: 'embedder_refused',
      message: expect.stringContaining('more than 33554432 bytes'),
    })
  })
})

describe('refusals', () => {
  test.each([
    [401, { error: { message: 'Incorrect API key' } }, 'answered 401: Incorrect API key. Check EMBEDDER_KEY.'],
    [404, { error: 'model "a-model" not found' }, 'answered 404: model "a-model" not found. Check EMBEDDER_URL, and'],
    [400, { message: 'bad.' }, 'answered 400: bad. Check'],
    [422, { detail: 'no such field' }, 'answered 422: no such field. Check'],
  ])('%i is not tried again; the message is that of the server', async (status, body, message) => {
    const server = await serverWith((response) => sendJson(response, status, body))
    const error = await errorOf(openEmbedder(server.url))

    expect(error).toMatchObject({ code: 'embedder_refused', status: 500 })
    expect(error.message).toContain(message)
    expect(server.requests).toHaveLength(1)
  })

  test('a long message is shortened, and has neither the key nor the text of a query', async () => {
    const query = 'my "private" question'
    const server = await serverWith((response) =>
      sendJson(response, 400, { error: `${key} cannot ask ${JSON.stringify(query)}: ${'because '.repeat(1_000)}` }),
    )
    const error = await errorOf(openEmbedder(server.url), 'query', query)

    expect(error.message).toContain('answered 400: … cannot ask "…": because because')
    expect(error.message.length).toBeLessThan(500)
    expect(JSON.stringify([error, String(error.stack), error.cause])).not.toMatch(/secret|private/)
  })

  test.each([400, 413, 422])('texts refused with %i are shortened, twice at most', async (status) => {
    const server = await startEmbeddingServer(vectorsOf)
    server.fault = (response, { body }) =>
      body.input.some(({ length }) => length > 500) && sendJson(response, status, { error: 'input is too long' })
    const embedder = openEmbedder(server.url)

    expect(await embedder.embed(['short', 'word '.repeat(900)], 'document')).toHaveLength(2)
    expect(server.requests.map(({ body }) => Math.max(...body.input.map(({ length }) => length)))).toEqual([
      4_000, 1_000, 250,
    ])
    server.fault = (response) => sendJson(response, status, { error: 'input is too long' })
    expect((await errorOf(embedder, 'document', 'word '.repeat(900))).message).toContain('input is too long')
  })

  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is not followed, and the key gets nowhere else',
    async (status) => {
      const other = await startEmbeddingServer(vectorsOf)
      const server = await serverWith((response) =>
        response.writeHead(status, { Location: `${other.url}/api/embed` }).end(),
      )

      expect(await errorOf(openEmbedder(server.url))).toMatchObject({
        code: 'embedder_refused',
        message: expect.stringContaining(`redirects to ${other.url}/api/embed`),
      })
      expect(other.requests).toEqual([])
    },
  )
})
