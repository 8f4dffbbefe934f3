import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const shared = sharedTestApp({ skills: [aSkill({ owner: 'acme', repo: 'pdf', name: 'pdf' })] })

test.each([
  ['invalid percent-encoding', '/api/%zz', 400, 'malformed_url'],
  ['a lone surrogate', '/api/skills/acme/%ED%A0%80', 400, 'malformed_url'],
  ['a line break', '/api/skills/acme/a%0d%0aX-Evil:%201', 400, 'malformed_url'],
  ['an escape character', '/%1b[31m', 400, 'malformed_url'],
  ['a fragment', '/api/skills#top', 400, 'malformed_url'],
  ['a URL of another scheme', 'ftp://host/api/skills', 400, 'malformed_url'],
  ['an invalid URL', 'http://[', 400, 'malformed_url'],
  ['dots', '/api/skills/../../etc/passwd', 404, 'unknown_path'],
  ['dots to another path', '/docs/../healthz', 404, 'unknown_path'],
  ['dots with slashes encoded', '/api/skills/..%2f..%2f..%2fetc/passwd', 400, 'invalid_parameters'],
  ['dots of too many bytes', '/api/skills/%c0%ae%c0%ae/passwd', 400, 'malformed_url'],
  ['a dot', '/api/./skills', 404, 'unknown_path'],
  ['an empty part', '/api//skills', 404, 'unknown_path'],
  ['another host', '//evil.example/api/skills', 404, 'unknown_path'],
  ['a backslash', '/\\evil.example', 404, 'unknown_path'],
  ['a parameter of a path', '/api/skills;jsessionid=1', 404, 'unknown_path'],
  ['a part too many, and a slash', '/api/skills/acme/pdf/x/', 404, 'unknown_path'],
  ['names of members of objects', '/api/skills/__proto__/constructor', 404, 'skill_unknown'],
  ['encoded dots', '/api/skills/%2e%2e/%2e%2e', 404, 'skill_unknown'],
  ['a slash encoded', '/api%2Fskills', 404, 'unknown_path'],
  ['a user before the host', '//user@[:/api', 404, 'unknown_path'],
])('%s in the path is answered with a problem', async (_, path, status, code) => {
  const answer = await shared().get(path)

  expect(answer).toMatchObject({ status, body: { status, code } })
  for (const name of ['x-evil', 'location']) {
    expect(answer.headers).not.toHaveProperty(name)
  }
})

test('an absolute URL is read as its path, as proxies send it', async () => {
  expect(await shared().get('http://catalog.example/api/skills?limit=1')).toMatchObject({ status: 200, names: ['pdf'] })
})

describe('a slash at the end', () => {
  test.each([
    ['/api/skills/', '/api/skills'],
    ['/api/skills/?limit=1&topic=a%2Fb', '/api/skills?limit=1&topic=a%2Fb'],
    ['/api/v1/skills///', '/api/v1/skills'],
    ['/api/skills/acme/100%25/', '/api/skills/acme/100%25'],
    ['/healthz/', '/healthz'],
    ['http://catalog.example/api/skills/', '/api/skills'],
  ])('%s is at %s', async (path, location) => {
    const api = shared()

    expect(await api.get(path)).toMatchObject({
      status: 308,
      headers: { location },
      body: { code: 'moved', instance: expect.stringMatching(/\/$/) },
    })
    expect(await api.send('HEAD', path)).toMatchObject({ status: 308, headers: { location } })
    expect(await api.send('POST', path)).toMatchObject({ status: 405 })
  })

  test.each([
    ['/api/v1/resolve', 'POST'],
    ['/api/v1/skills/search', 'GET, HEAD, POST'],
    ['/api/skills', 'GET, HEAD'],
  ])('%s takes the same methods with one: %s', async (path, methods) => {
    const api = shared()
    const allow = `${methods}, OPTIONS`

    for (const method of ['GET', 'HEAD', 'POST', 'PUT']) {
      const answer = await api.send(method, `${path}//`)
      if (methods.includes(method)) {
        expect(answer).toMatchObject({ status: 308, headers: { location: path } })
      } else {
        expect(answer).toMatchObject({ status: 405, headers: { allow } })
        expect(Object(answer.body)?.['detail'] ?? methods).toContain(methods.replaceAll(', ', ' or '))
      }
    }
    expect(await api.send('OPTIONS', `${path}/`)).toMatchObject({ status: 204, headers: { allow } })
    const preflight = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'POST' }
    expect(await api.send('OPTIONS', `${path}/`, preflight)).toMatchObject({
      headers: { 'access-control-allow-methods': allow.replaceAll(', ', ',') },
    })
  })

  test('a client that follows redirects sends its body again', async () => {
    const answer = await fetch(new URL('/api/v1/skills/search/', shared().url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"q":"pdf"${' '.repeat(30_000)}}`,
    })

    expect([answer.status, answer.redirected]).toEqual([200, true])
  })

  test('a body that the address without it would refuse is refused', async () => {
    const long = await fetch(new URL('/search/', shared().url), { method: 'POST', body: ' '.repeat(40_000) })

    expect([long.status, Object(await long.json())['code']]).toEqual([413, 'body_too_large'])
  })

  test('every documented path has only one form', async () => {
    const api = shared()
    const { paths } = Object((await api.get('/openapi.json')).body)

    for (const [path, methods] of Object.entries(paths).filter(([each]) => each !== '/')) {
      const asked = path.replaceAll(/\{\w+\}/g, 'x')
      for (const method of Object.keys(Object(methods)).filter((each) => ['get', 'post'].includes(each))) {
        const answer = await api.send(method.toUpperCase(), `${asked}/`)
        expect([path, answer]).toMatchObject([path, { status: 308, headers: { location: asked } }])
      }
    }
  })

  test.each([
    '//evil.example/',
    '//evil.example//',
    '/\\evil.example/',
    '//',
    '/nothing/',
    '//api/skills/',
    '/%2F%2Fevil/',
  ])('%s is not redirected', async (path) => {
    const api = shared()

    const answer = await api.get(path)

    expect(answer).toMatchObject({ status: 404, body: { code: 'unknown_path' } })
    expect(answer.headers).not.toHaveProperty('location')
  })
})

describe('problem documents', () => {
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
})
