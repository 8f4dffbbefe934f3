import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { intercepted } from '../support/job-bench.js'
import { postJson, startTestApp, type TestApp } from '../support/test-app.js'

const backends = ['catalog', 'index', 'changes', 'exports'] as const
type Backend = (typeof backends)[number]

/** The code of a 503 without a backend. */
const codes: Record<Backend, string> = {
  catalog: 'catalog_unavailable',
  index: 'search_unavailable',
  changes: 'catalog_unavailable',
  exports: 'exports_unavailable',
}

/** The backends of each path, in the order in which it asks them: without one of them, a 503. */
const needs: [path: string, needed: Backend[]][] = [
  ['/api/skills', ['catalog']],
  ['/api/v1/skills?ids=acme/pdf', ['catalog']],
  ['/api/skills/acme/pdf', ['catalog']],
  ['/api/skills/acme/pdf/related', ['catalog', 'index']],
  ['/api/skills/acme/pdf/history', ['catalog']],
  ['/api/v1/stats/history', ['catalog']],
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

/** A service that has answered once with all its backends, some of which a test then takes down. */
async function aServiceToRob(): Promise<{ api: TestApp; lost: Set<Backend>; calls: string[] }> {
  const lost = new Set<Backend>()
  const calls: string[] = []
  const robbed = <Port extends object>(name: Backend, port: Port): Port =>
    intercepted(port, (method, call) => (...args) => {
      calls.push(`${name}.${method}`)
      return lost.has(name) ? Promise.reject(new Error('ECONNREFUSED 10.0.0.7:27017')) : call(...args)
    })
  const api = await startTestApp({
    skills: [aSkill({ repo: 'pdf' })],
    replace: ({ catalog, index, changes, exports }) => ({
      catalog: robbed('catalog', catalog),
      index: robbed('index', index),
      changes: robbed('changes', changes),
      exports: robbed('exports', exports),
    }),
  })
  await api.publishExports()
  for (const [path] of needs) {
    expect({ path, ...(await api.get(path)) }).toMatchObject({ path, status: 200 })
  }
  calls.length = 0
  return { api, lost, calls }
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
    // The catalog and its changes.
    const resolved = await postJson(`${api.url}/api/v1/resolve`, { skills: [{ id: 'acme/pdf' }] })
    expect(resolved.status).toBe(taken.includes('catalog') ? 503 : 200)
  })
})

test('no backend is called before the request is validated', async () => {
  const { api, calls } = await aServiceToRob()

  for (const path of [
    '/api/skills?limit=0',
    '/api/skills?cursor=foreign',
    '/api/v1/skills?ids=no-slash',
    '/api/skills/acme/pdf?topci=x',
    '/api/skills/a%20b/pdf',
    '/api/v1/skills/search',
    '/api/v1/skills/search?q=pdf&page=2&page=3',
    '/api/v1/skills/suggest?q=',
    '/api/skills/acme/pdf/related?limit=51',
    '/api/v1/export?type=everything',
    '/api/v1/exports?x=1',
    '/api/v1/changes?since=-1',
    '/api/v1/stats?x=1',
    '/agents?pageToken=foreign',
    '/agents/pdf',
    '/clawhub/api/v1/search?q=',
    '/clawhub/api/v1/skills/pdf',
  ]) {
    expect({ path, ...(await api.get(path)) }).toMatchObject({
      path,
      status: 400,
      body: { code: 'invalid_parameters' },
    })
  }
  expect((await postJson(`${api.url}/api/v1/resolve`, { skills: 'acme/pdf' })).status).toBe(400)
  expect(calls).toEqual([])
})
