import { describe, expect, test } from '@jest/globals'
import { sharedTestApp, startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const shared = sharedTestApp({})

test('an error is a problem document with all its members', async () => {
  const answer = await shared().get('/api/skills?limit=0', { 'X-Request-Id': 'my-request' })

  expect(answer.headers).toMatchObject({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' })
  expect(answer.body).toEqual({
    type: '/docs/errors#invalid_parameters',
    title: 'Bad Request',
    status: 400,
    detail: 'limit: must be a whole number from 1 to 100.',
    instance: '/api/skills',
    code: 'invalid_parameters',
    requestId: 'my-request',
    errors: [{ parameter: 'limit', message: 'must be a whole number from 1 to 100.' }],
  })
})

test('what a client sent is repeated without invisible characters', async () => {
  const api = shared()
  const hidden = encodeURIComponent('\u{e0041}\u202e\u200b')

  const problem = await api.get(`/api/skills?to${hidden}pci=x&sort=a${hidden}b`)
  const found = await api.get(`/api/v1/skills/search?q=pdf${hidden}`)

  expect(problem.body).toMatchObject({ errors: [{ parameter: 'topci' }, { parameter: 'sort' }] })
  expect(problem.text).not.toMatch(/[\u{e0041}\u202e\u200b]/u)
  expect(found.body).toMatchObject({ query: 'pdf' })
  expect(await api.get(`/api/v1/skills/search?q=${hidden}`)).toMatchObject({
    status: 400,
    body: { detail: 'q: is empty: give the words to search for.' },
  })
})

test.each(['/api', '/api/v1', '/API/skills', '/api/v1/skills/x/y/z', '//api/skills', '/favicon.png'])(
  '%s is no path of the API, and the problem lists the paths',
  async (path) => {
    expect(await shared().get(path)).toMatchObject({
      status: 404,
      body: { code: 'unknown_path', detail: expect.stringContaining('/api/v1/skills/search') },
    })
  },
)

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])('%s is not allowed', async (method) => {
  expect(await shared().send(method, '/api/skills')).toMatchObject({
    status: 405,
    headers: { allow: 'GET, HEAD, OPTIONS', connection: 'close' },
    body: {
      code: 'method_not_allowed',
      detail: `The catalog is read-only: ${method} is not allowed. Use GET or HEAD.`,
    },
  })
})

test('HEAD gets a problem without its body', async () => {
  expect(await shared().send('HEAD', '/nowhere')).toMatchObject({
    status: 404,
    text: '',
    headers: { 'content-type': 'application/problem+json' },
  })
})

describe('an internal error', () => {
  test.each([
    ['no result', async () => null],
    ['an unknown state', async () => ({ state: 'confused' })],
  ])('%s is a 500 without internals, and a log line with all of them', async (_, findSkill) => {
    const api = await startTestApp({
      replace: ({ catalog }) => ({
        catalog: withOverrides(catalog, { findSkill: findSkill as typeof catalog.findSkill }),
      }),
    })

    const answer = await api.get('/api/skills/acme/kit@pdf', { 'X-Request-Id': 'r1' })

    expect(answer).toMatchObject({
      status: 500,
      body: {
        code: 'internal_error',
        detail: 'Something went wrong on our side. Try again; if it fails again, report request r1.',
      },
    })
    expect(answer.text).not.toMatch(/zod|stack|node_modules|\.ts/i)
    expect(api.logLines).toContainEqual(
      expect.objectContaining({
        level: 50,
        requestId: 'r1',
        err: expect.objectContaining({ stack: expect.any(String) }),
      }),
    )
  })
})

describe('a backend that fails', () => {
  test('times out when it never answers', async () => {
    const api = await startTestApp({
      replace: ({ catalog }) => ({
        timeLimitMs: 50,
        catalog: withOverrides(catalog, { listSkills: () => new Promise(() => {}) }),
      }),
    })

    expect(await api.get('/api/skills')).toMatchObject({ status: 503, body: { code: 'catalog_unavailable' } })
  })
})

describe('request ids', () => {
  test.each(['a', 'A-z_0-9', 'x'.repeat(64)])('a well-formed one is kept: %s', async (id) => {
    expect((await shared().get('/api/skills', { 'X-Request-Id': id })).headers['x-request-id']).toBe(id)
  })

  test.each(['', 'a b', 'x'.repeat(65), 'a/b', '<script>', 'ü'])('anything else is replaced: %s', async (id) => {
    expect((await shared().get('/api/skills', { 'X-Request-Id': id })).headers['x-request-id']).toMatch(
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    )
  })
})
