import { describe, expect, test } from '@jest/globals'
import { HttpReranker } from '../../shared/adapters/embedders/http-reranker.js'
import { digestOf } from '../../shared/text/skill-text.js'
import { aSkill } from '../support/factories.js'
import { type RerankingServer, startRerankingServer } from '../support/reranking-server.js'
import { startTestApp, type TestApp, type TestResponse } from '../support/test-app.js'

const count = 45
const skills = Array.from({ length: count }, (_, n) =>
  aSkill({ repo: `pdf-${n}`, name: `pdf tool ${n}`, description: 'Reads invoices', stars: 100 - n }),
)

/** The number in the name of a skill. */
const numberIn = (text: string): number => Number(/pdf tool (\d+)/.exec(text)?.[1])

async function appWith(server: RerankingServer, published = skills, timeLimitMs = 2_000): Promise<TestApp> {
  const reranker = new HttpReranker({ url: server.url, model: 'm', key: null, timeLimitMs })
  return startTestApp({ skills: published, embedder: { kind: 'off' }, replace: () => ({ reranker }) })
}

const search = (api: TestApp, rest = ''): Promise<TestResponse> => api.get(`/api/v1/skills/search?q=invoices${rest}`)
const hitsOf = ({ body }: TestResponse) => (body as { data: { name: string; score: number | null }[] }).data
const numbersOf = (answer: TestResponse) => hitsOf(answer).map(({ name }) => numberIn(name))
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

describe('the second stage', () => {
  test('puts the first 30 hits in the order of the reranker, on each page, with one request', async () => {
    const server = await startRerankingServer(numberIn)
    const api = await appWith(server)

    const pages = [await search(api, '&limit=20'), await search(api, '&limit=20&page=2'), await search(api, '&page=3')]
    expect(pages.flatMap(numbersOf)).toEqual([...range(0, 30).reverse(), ...range(30, count)])
    expect(server.requests).toHaveLength(1)
    expect(pages[0]?.body).toMatchObject({ degraded: false, pagination: { total: count } })
    const scores = pages.flatMap(hitsOf).map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => Number(b) - Number(a)))
  })

  test('sends what a skill says of itself, with the beginning of its text', async () => {
    const server = await startRerankingServer(numberIn)
    const text = `---\nname: x\n---\n${'Reads the totals of each page. '.repeat(200)}`
    const own = aSkill({
      repo: 'own',
      name: 'own',
      description: 'Books invoices',
      topics: ['pdf'],
      digest: digestOf(text),
    })
    const api = await appWith(server, [...skills, own])
    const files = { files: [], total: 0 }
    await api.stores.catalog.keepContents([{ id: own.id, digest: digestOf(text), text, files }])

    await api.get('/api/v1/skills/search?q=books%20invoices')
    const sent = server.requests[0]?.body.documents.find((document) => document.startsWith('own'))
    expect(sent).toMatch(/^own\. Books invoices\. pdf\nReads the totals/)
    expect(sent?.length).toBeLessThan(1_600)
  })

  test('leaves named skills in front, and other modes and orders alone', async () => {
    const server = await startRerankingServer(numberIn)
    const api = await appWith(server)

    const named = await api.get('/api/v1/skills/search?q=pdf%20tool%207')
    expect(numbersOf(named)[0]).toBe(7)
    const asked = server.requests.length
    for (const rest of ['&mode=keyword', '&sort=stars', '&page=4&limit=10']) {
      expect((await search(api, rest)).body).toMatchObject({ degraded: false })
    }
    expect(server.requests).toHaveLength(asked)
  })

  test.each<[string, RerankingServer['fault']]>([
    ['too late', () => undefined],
    ['an error', (response) => response.writeHead(500).end()],
  ])('a search goes on without it: %s', async (_, fault) => {
    const server = await startRerankingServer(numberIn)
    const api = await appWith(server, skills, 100)
    server.fault = fault

    const first = await search(api)
    expect(numbersOf(first)).toEqual(range(0, 20))
    expect(first.body).toMatchObject({ degraded: true, pagination: { total: count } })
    // It is not asked for some seconds.
    expect((await search(api)).body).toMatchObject({ degraded: true })
    expect(server.requests).toHaveLength(1)
    expect(api.logLines.filter(({ dependency }) => dependency === 'reranker')).toHaveLength(1)
  })
})
