import { describe, expect, test } from '@jest/globals'
import { HttpReranker } from '../../shared/adapters/embedders/http-reranker.js'
import { digestOf, searchedText } from '../../shared/text/skill-text.js'
import { aLock } from '../support/a-lock.js'
import { aSkill, documentOf } from '../support/factories.js'
import { keepContents } from '../support/keep-contents.js'
import { callTool, mcpOverHttp } from '../support/mcp-client.js'
import { type RerankingServer, startRerankingServer } from '../support/model-servers.js'
import {
  sharedTestApp,
  startTestApp,
  type TestApp,
  type TestAppOptions,
  type TestResponse,
} from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const searchPath = (q: string, rest = '') => `/api/v1/skills/search?q=${encodeURIComponent(q)}${rest}`

interface Hit {
  id: string
  name: string
  score: number | null
  explanation: { placement: string; similarity: number | null }
}
const hitsOf = ({ body }: TestResponse) => (body as { data: Hit[] }).data

const skills = [
  aSkill({ repo: 'bikes', name: 'bike-doctor', description: 'Diagnoses a broken bicycle and explains each repair.' }),
  aSkill({ repo: 'notes', name: 'transcriber', description: 'Turns audio recordings of meetings into written notes.' }),
  aSkill({ repo: 'meals', name: 'meal-planner', description: 'Plans dinners for the week and writes shopping lists.' }),
  aSkill({
    owner: 'beta',
    repo: 'holes',
    name: 'vulnerability-hunter',
    description: 'Finds security holes in source code before attackers do.',
    topics: ['security'],
    license: 'MIT',
    language: 'Go',
    stars: 9,
    archived: true,
    updatedAt: '2026-02-01T00:00:00.000Z',
  }),
  aSkill({ repo: 'beds', name: 'garden-almanac', description: 'When to sow and harvest vegetables.', stars: 2 }),
]

describe('a skill that shares no word with the query', () => {
  const shared = sharedTestApp({ skills })

  test('the page says that no word of the text was found', async () => {
    const page = async (q: string) => (await shared().get(`/?q=${q}`, { Accept: 'text/html' })).text

    expect(await page('growing+tomatoes')).toContain('None of these skills has words of your text')
    expect(await page('harvest+vegetables')).not.toContain('None of these skills')
  })

  test.each([
    ['fix my cycle wheel', 'bike-doctor'],
    ['transcript of a conversation', 'transcriber'],
    ['cooking recipes', 'meal-planner'],
    ['prevent hackers', 'vulnerability-hunter'],
    ['growing tomatoes', 'garden-almanac'],
  ])('“%s” finds %s by its meaning, and not by words', async (q, name) => {
    const [byDefault, hybrid, keyword, semantic] = await Promise.all(
      ['', '&mode=hybrid', '&mode=keyword', '&mode=semantic'].map((mode) => shared().get(searchPath(q, mode))),
    )

    expect(byDefault?.names[0]).toBe(name)
    expect(byDefault?.body).toMatchObject({ mode: 'hybrid', degraded: false })
    expect(hybrid?.names).toEqual(byDefault?.names)
    expect(keyword).toMatchObject({ names: [], body: { mode: 'keyword', degraded: false, pagination: { total: 0 } } })
    expect(semantic?.names[0]).toBe(name)
    expect(semantic?.body).toMatchObject({ mode: 'semantic', degraded: false })
  })

  test('is explained as placed by its meaning, with the cosine in thousandths', async () => {
    const [hit] = hitsOf(await shared().get(searchPath('growing tomatoes', '&explain=true&highlight=true')))

    expect(hit).toMatchObject({
      explanation: {
        placement: 'meaning',
        words: [
          { word: 'growing', match: null },
          { word: 'tomatoes', match: null },
        ],
      },
      highlights: { name: null, description: null, topics: [] },
      duplicates: 0,
    })
    expect(hit?.explanation.similarity).toBeGreaterThan(0.4)
    expect(String(hit?.explanation.similarity)).toMatch(/^0\.\d{1,3}$/)
  })

  test('is not found in another order than by relevance, which is by words', async () => {
    const q = 'growing tomatoes'
    expect(await shared().get(searchPath(q, '&sort=stars'))).toMatchObject({
      names: [],
      body: { mode: 'keyword', degraded: false },
    })
    expect(await shared().get(searchPath(q, '&sort=stars&mode=hybrid'))).toMatchObject({
      names: [],
      body: { mode: 'keyword', degraded: false },
    })
  })

  test.each(['xkqzvw', '🦀', '!!!', '-security', '"\u{e000}"'])(
    '“%s” has no meaning, which is no fault: by words',
    async (q) => {
      for (const mode of ['hybrid', 'semantic']) {
        const answer = await shared().get(searchPath(q, `&mode=${mode}`))
        expect(answer).toMatchObject({ status: 200, body: { mode: 'keyword', degraded: false } })
      }
    },
  )
})

describe('the second stage', () => {
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

      const pages = [
        await search(api, '&limit=20'),
        await search(api, '&limit=20&page=2'),
        await search(api, '&page=3'),
      ]
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
      await keepContents(api.stores.catalog, [{ id: own.id, digest: digestOf(text), text, files }])

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
})

describe('passages', () => {
  const text =
    '---\nname: mail\n---\n# Mail\n\nAsk someone@private.example & <others>. It **staples** the [quagmire](https://a.example). End.\n'
  const digest = digestOf(text)
  const description = 'Sends letters'
  const skills = [
    aSkill({ owner: 'acme', repo: 'mail', description, digest }),
    aSkill({ owner: 'acme', repo: 'quagmire', description, digest }),
    aSkill({ owner: 'acme', repo: 'other', description }),
  ]

  /** Keeps the texts, and indexes them. */
  const withTexts = async ({ stores }: { stores: Parameters<NonNullable<TestAppOptions['replace']>>[0] }) => {
    const published = skills.slice(0, 2)
    const files = { files: [], total: 0 }
    await keepContents(
      stores.catalog,
      published.map(({ id }) => ({ id, digest, text, files })),
    )
    const publish = published.map((skill) => ({ ...documentOf(skill), text: searchedText(text) }))
    await stores.replicas[0].apply({ publish, remove: [] }, 'live', aLock())
  }

  const search = (q: string, rest = '') => `/api/v1/skills/search?q=${encodeURIComponent(q)}&mode=keyword${rest}`
  const passage = 'Mail Ask (address removed) & <others>. It staples the quagmire. End.'

  describe('the passage of a hit', () => {
    const shared = sharedTestApp({ skills }, withTexts)

    test('is the part of the text that has the words of the query', async () => {
      const { body } = await shared().get(search('stapling'))
      expect(body).toMatchObject({
        data: [
          { id: 'acme/quagmire', passage },
          { id: 'acme/mail', passage },
        ],
      })
      expect(JSON.stringify(body)).not.toContain('highlights')
      expect(JSON.stringify(body)).not.toContain('textWords')
    })

    test('is null where the fields of the skill have the words, and in every hit', async () => {
      expect((await shared().get(search('quagmire'))).body).toMatchObject({
        data: [
          { id: 'acme/quagmire', passage: null },
          { id: 'acme/mail', passage },
        ],
      })
      expect((await shared().get(search('letters', '&fields=id'))).body).toMatchObject({
        data: [{ passage: null }, { passage: null }, { passage: null }],
      })
    })

    test('is highlighted as HTML, escaped', async () => {
      const { body } = await shared().get(search('stapling quagmire', '&highlight=true&limit=2'))
      const html = 'Mail Ask (address removed) &amp; &lt;others&gt;. It <em>staples</em> the <em>quagmire</em>. End.'
      expect(body).toMatchObject({
        data: expect.arrayContaining([
          expect.objectContaining({ id: 'acme/mail', highlights: expect.objectContaining({ passage: html }) }),
        ]),
      })
      expect((await shared().get(search('letters', '&highlight=true'))).body).toMatchObject({
        data: expect.arrayContaining([
          expect.objectContaining({ highlights: expect.objectContaining({ passage: null }) }),
        ]),
      })
    })

    test('is in the result of the tool, and on the page of the explorer', async () => {
      const client = await mcpOverHttp(shared().url)
      const { text: shown, result } = await callTool(client, 'search_skills', { q: 'stapling', mode: 'keyword' })
      expect(shown).toContain(`\n  In its SKILL.md: ${passage}`)
      expect(result).toMatchObject({ data: [{ passage }, { passage }] })

      const page = await shared().get('/?q=stapling', { Accept: 'text/html' })
      expect(page.text).toContain('It <em>staples</em> the quagmire.')
    })
  })

  test.each([
    ['fails', () => Promise.reject(new Error('broken'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])('a search is answered without passages when the catalog %s', async (_, findPassages) => {
    const app = await startTestApp({
      skills,
      replace: (stores) => ({ catalog: withOverrides(stores.catalog, { findPassages }) }),
    })
    await withTexts(app)
    const { status, body } = await app.get(search('stapling'))
    expect([status, body]).toMatchObject([200, { data: [{ passage: null }, { passage: null }] }])
  })
})
