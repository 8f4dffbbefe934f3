import { expect, test } from '@jest/globals'
import { unavailable } from '../../shared/runtime/errors.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { startTestApp } from '../support/test-app.js'
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
