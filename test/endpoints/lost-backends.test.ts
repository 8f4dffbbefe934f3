import { describe, expect, test } from '@jest/globals'
import { endpoints } from '../../services/query/endpoints.js'
import { aSkill } from '../support/factories.js'
import { intercepted } from '../support/job-bench.js'
import { keepContents } from '../support/keep-contents.js'
import { postBody, startTestApp, type TestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const backends = ['catalog', 'index', 'changes', 'exports'] as const
type Backend = (typeof backends)[number]

/** The code of a 503 without a backend. */
const codes: Record<Backend, string> = {
  catalog: 'catalog_unavailable',
  index: 'search_unavailable',
  changes: 'catalog_unavailable',
  exports: 'exports_unavailable',
}

const digest = `sha256:${'0'.repeat(64)}`

/** The backends of each path, in the order in which it asks them: without one of them, a 503. */
const needs: [path: string, needed: Backend[]][] = [
  ['/api/skills', ['catalog']],
  ['/api/v1/skills?ids=acme/pdf', ['catalog']],
  ['/api/skills/acme/pdf', ['catalog']],
  ['/api/skills/acme/pdf/SKILL.md', ['catalog']],
  ['/api/skills/acme/pdf/files', ['catalog']],
  ['/api/skills/acme/pdf/related', ['catalog', 'index']],
  ['/api/skills/acme/pdf/history', ['catalog']],
  ['/api/v1/stats/history', ['catalog']],
  ['/api/v1/changes', ['changes']],
  ['/api/v1/skills/search?q=pdf', ['index']],
  ['/api/v1/skills/suggest?q=pdf', ['index']],
  ['/api/search?q=pdf', ['index']],
  ['/skills/acme/pdf/.well-known/agent-skills/index.json', ['catalog']],
  ['/clawhub/api/v1/search?q=pdf', ['index']],
  ['/clawhub/api/v1/skills/pdf?ownerHandle=acme', ['catalog']],
  ['/.well-known/clawhub.json', []],
  ['/agents', ['catalog']],
  ['/agents/urn:air:skill-catalog.invalid:skills:acme:pdf', ['catalog']],
  ['/.well-known/ard.json', []],
  ['/api/v1/export?type=skills', ['exports']],
  ['/api/v1/exports', ['exports']],
  // The service caches the statistics.
  ['/api/v1/stats', []],
  ['/openapi.json', []],
  ['/healthz', []],
]

/** Endpoints that need files of a snapshot, or a body; the latter has lines of its own below. */
const apart = /^\/api\/v1\/(exports\/:snapshot\/|resolve$)/

test('every endpoint of the API has a line, or is apart', () => {
  const asked = needs.map(([path]) => path.replace(/\?.*/, ''))
  const missing = endpoints.filter(
    ({ path, aliases = [] }) =>
      path.startsWith('/api/') &&
      !apart.test(path) &&
      ![path, ...aliases].some((each) =>
        asked.some((one) => new RegExp(`^${each.replace(/:\w+/g, '[^/]+')}$`).test(one)),
      ),
  )

  expect(missing.map(({ path }) => path)).toEqual([])
})

/** A service that has answered once with all its backends, some of which a test then takes down. */
async function aServiceToRob(): Promise<{ api: TestApp; lost: Set<Backend> }> {
  const lost = new Set<Backend>()
  const robbed = <Port extends object>(name: Backend, port: Port): Port =>
    intercepted(
      port,
      (_, call) =>
        (...args) =>
          lost.has(name) ? Promise.reject(new Error('ECONNREFUSED 10.0.0.7:27017')) : call(...args),
    )
  const api = await startTestApp({
    skills: [aSkill({ repo: 'pdf', digest })],
    replace: ({ catalog, index, changes, exports }) => ({
      catalog: robbed('catalog', catalog),
      index: robbed('index', index),
      changes: robbed('changes', changes),
      exports: robbed('exports', exports),
    }),
  })
  await api.publishExports()
  const files = { files: [], total: 1 }
  await keepContents(api.stores.catalog, [{ id: 'acme/pdf', digest, text: '# PDF', files }])
  for (const [path] of needs) {
    expect({ path, ...(await api.get(path)) }).toMatchObject({ path, status: 200 })
  }
  return { api, lost }
}

describe.each<[string, Backend[]]>([
  ['the catalog', ['catalog', 'changes']],
  ['the search index', ['index']],
  ['the export files', ['exports']],
  ['everything', [...backends]],
])('without %s', (_, taken) => {
  test('endpoints that need it answer 503 with Retry-After, the others work', async () => {
    const { api, lost } = await aServiceToRob()
    for (const backend of taken) {
      lost.add(backend)
    }

    for (const [path, needed] of needs) {
      const answer = await api.get(path)
      const missing = needed.find((backend) => lost.has(backend))
      if (missing !== undefined) {
        expect({ path, ...answer }).toMatchObject({
          path,
          status: 503,
          headers: { 'retry-after': '5', 'cache-control': 'no-store', 'content-type': 'application/problem+json' },
          body: { code: codes[missing] },
        })
        expect(answer.text).not.toMatch(/ECONN|10\.0\.0\.7|27017/)
      } else {
        expect({ path, ...answer }).toMatchObject({ path, status: 200 })
      }
    }
    expect((await api.get('/readyz')).status).toBe(503)
    // Each failure once, not for each request.
    const logged = api.logLines.filter(({ level }) => Number(level) >= 50).map(({ dependency }) => dependency)
    expect(logged.length).toBeGreaterThan(0)
    expect(new Set(logged).size).toBe(logged.length)
    // The catalog and its changes.
    const resolved = await postBody(`${api.url}/api/v1/resolve`, { skills: [{ id: 'acme/pdf' }] })
    expect(resolved.status).toBe(taken.includes('catalog') ? 503 : 200)
  })
})

test('/readyz: every dependency by name', async () => {
  const api = await startTestApp()

  expect((await api.get('/healthz')).body).toEqual({ status: 'alive' })
  expect(await api.get('/readyz')).toMatchObject({
    status: 200,
    body: { status: 'ready', dependencies: { catalog: 'up', search: 'up', exports: 'up' } },
  })
})

test('/readyz lists which dependency is down', async () => {
  const api = await startTestApp({
    replace: ({ index }) => ({
      timeLimitMs: 1_000,
      index: withOverrides(index, { status: () => new Promise(() => {}) }),
    }),
  })

  expect(await api.get('/readyz')).toMatchObject({
    status: 503,
    body: { status: 'not_ready', dependencies: { catalog: 'up', search: 'down', exports: 'up' } },
  })
})

test('/readyz checks at most once per second', async () => {
  let nowMs = 0
  let looks = 0
  const api = await startTestApp({
    replace: ({ index }) => ({
      clock: () => nowMs,
      index: withOverrides(index, {
        status: () => {
          looks += 1
          return index.status()
        },
      }),
    }),
  })

  await Promise.all(Array.from({ length: 30 }, () => api.get('/readyz')))
  nowMs += 999
  await api.get('/readyz')
  expect(looks).toBe(1)
  nowMs += 1
  await api.get('/readyz')
  expect(looks).toBe(2)
})

test.each(['/healthz', '/readyz'])('HEAD %s has no body', async (path) => {
  const api = await startTestApp()

  expect(await api.send('HEAD', path)).toMatchObject({ status: 200, text: '' })
})
