import { beforeAll, describe, expect, test } from '@jest/globals'
import { unavailable } from '../../shared/runtime/errors.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

test('returns the statistics of the catalog', async () => {
  const api = await startTestApp({
    skills: [
      aSkill({ topics: ['pdf', 'ocr'], stars: 3, updatedAt: '2026-01-02T00:00:00.000Z' }),
      aSkill({ topics: ['pdf'], stars: 4, updatedAt: '2026-01-01T00:00:00.000Z' }),
      aSkill({ owner: 'beta' }),
      aSkill({ state: 'hidden' }),
    ],
    prompts: [aPrompt()],
    organizations: [anOrganization({ login: 'acme', name: 'Acme' })],
  })

  const answer = await api.get('/api/v1/stats')

  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    data: {
      totals: { skills: 3, repositories: 3, prompts: 1, organizations: 2, topics: 2, stars: 7 },
      topOrganizations: [
        { login: 'acme', name: 'Acme', skills: 2, stars: 7 },
        { login: 'beta', name: null, skills: 1, stars: 0 },
      ],
      topTopics: [
        { topic: 'pdf', skills: 2 },
        { topic: 'ocr', skills: 1 },
      ],
      freshness: {
        newestSkillUpdatedAt: '2026-01-02T00:00:00.000Z',
        oldestSkillUpdatedAt: '2026-01-01T00:00:00.000Z',
        lastSyncAt: expect.any(String),
        statsGeneratedAt: expect.any(String),
        exportsGeneratedAt: null,
      },
    },
  })
})

test('are those that the indexer computed, without later writes', async () => {
  const api = await startTestApp({ skills: [aSkill()] })
  await api.stores.catalog.put('skills', [aSkill()])

  expect((await api.get('/api/v1/stats')).body).toMatchObject({ data: { totals: { skills: 1 } } })
})

test('is read from the store once in five minutes, and Age is its time in the cache', async () => {
  let nowMs = Date.now()
  let reads = 0
  const api = await startTestApp({
    replace: ({ catalog }) => ({
      clock: () => nowMs,
      catalog: withOverrides(catalog, {
        readState: (key) => {
          reads += 1
          return catalog.readState(key)
        },
      }),
    }),
  })

  await Promise.all(Array.from({ length: 20 }, () => api.get('/api/v1/stats')))
  nowMs += 299_000
  const old = await api.get('/api/v1/stats')
  expect(reads).toBe(1)
  expect(old.headers).toMatchObject({ age: '299', 'cache-control': 'public, max-age=300' })

  nowMs += 1_000
  expect((await api.get('/api/v1/stats')).headers).toMatchObject({ age: '0' })
  expect(reads).toBe(2)
})

test('before the first computation it is a 503 with Retry-After', async () => {
  const api = await startTestApp({
    replace: ({ catalog }) => ({ catalog: withOverrides(catalog, { readState: async () => null }) }),
  })

  expect(await api.get('/api/v1/stats')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '5', 'cache-control': 'no-store' },
    body: { code: 'stats_not_ready' },
  })
})

test('without cached statistics it fails like the catalog', async () => {
  const failing = async () => {
    throw unavailable('catalog_unavailable', 'The catalog does not answer. Try again in 5 s.', 5)
  }
  const api = await startTestApp({
    replace: ({ catalog }) => ({ catalog: withOverrides(catalog, { readState: failing }) }),
  })

  expect(await api.get('/api/v1/stats')).toMatchObject({ status: 503, body: { code: 'catalog_unavailable' } })
})

const today = Math.floor(Date.now() / 86_400_000)
const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)

const skills = [aSkill({ repo: 'rising', stars: 30 }), aSkill({ repo: 'steady', stars: 90 })]

describe.each(['/api/skills', '/api/v1/skills'])('%s/:owner/:repo/history', (path) => {
  const shared = sharedTestApp({ skills })
  beforeAll(async () => {
    await shared().stores.catalog.writeHistories(
      [
        {
          id: 'acme/rising',
          days: [
            [today - 40, 3],
            [today - 20, 10],
            [today - 1, 30],
          ],
          trend: 200_000_027,
        },
      ],
      aLock(),
    )
  })

  test('lists the days on which the number changed, and what was gained', async () => {
    const { status, body, headers } = await shared().get(`${path}/ACME/Rising/history`)

    expect(status).toBe(200)
    expect(body).toEqual({
      data: {
        id: 'acme/rising',
        days: [
          { date: dateOf(today - 40), stars: 3 },
          { date: dateOf(today - 20), stars: 10 },
          { date: dateOf(today - 1), stars: 30 },
        ],
        starsGained: { days7: 20, days30: 27 },
      },
    })
    expect(headers['link']).toContain(`<${shared().url}/api/v1/skills/acme/rising/history>; rel="canonical"`)
  })

  test('a skill without a history has no days', async () => {
    expect((await shared().get(`${path}/acme/steady/history`)).body).toEqual({
      data: { id: 'acme/steady', days: [], starsGained: { days7: 0, days30: 0 } },
    })
  })

  test('the list by trend shows what each skill has gained', async () => {
    const { body } = await shared().get(`${path}?sort=trending&fields=stars`)

    expect((body as { data: unknown }).data).toEqual([
      { id: 'acme/rising', stars: 30, starsGained: { days7: 20, days30: 27 } },
      { id: 'acme/steady', stars: 90, starsGained: { days7: 0, days30: 0 } },
    ])
    expect(JSON.stringify((await shared().get(`${path}?sort=stars`)).body)).not.toContain('starsGained')
  })
})

describe('/api/v1/stats/history', () => {
  const days = [400, 10, 1, 0].map((ago) => ({
    date: dateOf(today - ago),
    skills: 500 - ago,
    // Days before repositories were counted have no number of them.
    ...(ago > 1 ? {} : { repositories: 400 }),
    prompts: 1,
    organizations: 2,
    topics: 3,
    stars: 4,
  }))

  test('lists the totals by day, of the requested last days', async () => {
    const app = await startTestApp({ skills })
    expect((await app.get('/api/v1/stats/history')).body).toEqual({ data: [] })

    await app.stores.catalog.writeState(stateKeys.catalogHistory, days)
    expect((await app.get('/api/v1/stats/history')).body).toEqual({
      data: days.slice(1).map((day) => ({ repositories: null, ...day })),
    })
    expect((await app.get('/api/v1/stats/history?days=2')).body).toEqual({ data: days.slice(2) })
  })
})
