import type { ServerResponse } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import { HttpReranker } from '../../shared/adapters/embedders/http-reranker.js'
import { freePort } from '../support/local-server.js'
import { sendJson, startRerankingServer } from '../support/model-servers.js'

const key = 'sk-very-secret'
const query = 'a query of a client'
const open = (url: string) => new HttpReranker({ url, model: 'a-model', key, timeLimitMs: 500 })
const ask = (url: string, texts = ['short', 'a long one', 'longer']) =>
  open(url).fits(query, texts, AbortSignal.timeout(2_000))
const resultsOf = (...results: [index: unknown, score: unknown][]) => ({
  results: results.map(([index, relevance_score]) => ({ index, relevance_score })),
})

describe('HttpReranker', () => {
  test('asks as Cohere documents it, and answers in the order of the texts', async () => {
    const server = await startRerankingServer((text) => text.length)

    expect(await ask(server.url)).toEqual([5, 10, 6])
    expect(server.requests).toEqual([
      {
        path: '/rerank',
        headers: expect.objectContaining({ authorization: `Bearer ${key}`, 'content-type': 'application/json' }),
        body: { model: 'a-model', query, documents: ['short', 'a long one', 'longer'], top_n: 3 },
      },
    ])
  })

  test.each<[string, (response: ServerResponse) => unknown, string]>([
    ['no JSON', (response) => response.end('<html>'), 'something else than results. Check RERANKER_URL.'],
    ['vectors', (response) => sendJson(response, 200, { data: [] }), 'something else than results'],
    ['too few', (response) => sendJson(response, 200, resultsOf([0, 1], [1, 1])), '2 results for 3 texts'],
    ['one twice', (response) => sendJson(response, 200, resultsOf([0, 1], [1, 1], [1, 1])), 'an index twice'],
    ['an odd index', (response) => sendJson(response, 200, resultsOf([0, 1], [1, 1], [-1, 1])), 'Check RERANKER_URL'],
    ['no number', (response) => sendJson(response, 200, resultsOf([0, 1], [1, 1], [2, null])), 'Check RERANKER_URL'],
    ['a long body', (response) => response.end(' '.repeat(2 ** 21)), 'more than 1048576 bytes'],
    [
      '401',
      (response) => sendJson(response, 401, { message: `bad ${key}` }),
      'answered 401 (bad …). Check RERANKER_KEY.',
    ],
    [
      '404',
      (response) => sendJson(response, 404, { detail: `no ${query}` }),
      'answered 404 (no …). Check RERANKER_URL',
    ],
    ['a redirect', (response) => response.writeHead(302, { Location: 'http://other.example' }).end(), 'answered 302'],
  ])('refuses %s, and says what to check', async (_, fault, message) => {
    const server = await startRerankingServer(() => 1)
    server.fault = fault

    await expect(ask(server.url)).rejects.toMatchObject({
      code: 'reranker_refused',
      message: expect.stringContaining(message),
    })
  })

  test.each([500, 503, 408, 429])('status %i is an outage', async (status) => {
    const server = await startRerankingServer(() => 1)
    server.fault = (response) => sendJson(response, status, {})

    await expect(ask(server.url)).rejects.toMatchObject({ status: 503, code: 'reranker_unavailable' })
  })

  test('a server that does not answer is an outage, and a signal ends the call', async () => {
    await expect(ask(`http://127.0.0.1:${await freePort()}`)).rejects.toMatchObject({ code: 'reranker_unavailable' })

    const server = await startRerankingServer(() => 1)
    server.fault = () => undefined
    await expect(open(server.url).fits(query, ['a'], AbortSignal.timeout(50))).rejects.toThrow(/aborted|timeout/i)
  })
})
