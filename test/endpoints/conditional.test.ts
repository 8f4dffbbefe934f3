import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { startTestApp, type TestResponse } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

/** Enough for a response that is compressed. */
const skills = () => Array.from({ length: 5 }, (_, at) => aSkill({ repo: `pdf-${at}`, description: 'Reads PDF.' }))

const paths = [
  '/api/skills',
  '/api/v1/skills',
  '/api/skills/acme/pdf-0',
  '/api/v1/skills/acme/pdf-0',
  '/api/v1/skills/search?q=pdf',
  '/api/v1/skills/search?q=pdf&facets=topics&highlight=true&explain=true',
  '/api/v1/stats',
]

/** Headers that differ between responses with the same content. */
const momentary = [
  'date',
  'x-request-id',
  'ratelimit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'connection',
  'server-timing',
]

const lasting = ({ headers }: TestResponse, without: string[] = []) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => ![...momentary, ...without].includes(name)))

const encodings = ['identity', 'gzip', 'br']

describe.each(paths)('%s', (path) => {
  test.each(encodings)('as %s: has a tag, and is a 304 for a client that has it', async (encoding) => {
    const api = await startTestApp({ skills: skills() })
    const accept = { 'Accept-Encoding': encoding }

    const first = await api.get(path, accept)
    const etag = String(first.headers['etag'])
    const opaque = etag.replace(/^W\//, '')
    const again = await api.get(path, { ...accept, 'If-None-Match': `"other", W/${opaque}` })

    expect(etag).toBe(path.includes('search') ? `W/${opaque}` : opaque)
    expect(opaque).toMatch(/^"[\w-]+"$/)
    expect(await api.get(path, { ...accept, 'If-None-Match': opaque })).toMatchObject({ status: 304 })
    expect(again).toMatchObject({ status: 304, text: '' })
    // All headers except those that describe a body.
    expect(lasting(again)).toEqual(lasting(first, ['content-type', 'content-length', 'content-encoding']))
    expect(await api.send('HEAD', path, { ...accept, 'If-None-Match': etag })).toMatchObject({ status: 304 })
    expect(await api.get(path, { ...accept, 'If-None-Match': '*' })).toMatchObject({ status: 304 })
    expect(await api.get(path, { ...accept, 'If-None-Match': '"other"' })).toMatchObject({ status: 200 })
  })

  test.each(encodings)('as %s: HEAD has the headers of GET', async (encoding) => {
    const api = await startTestApp({ skills: skills() })

    const got = await api.get(path, { 'Accept-Encoding': encoding })
    const head = await api.send('HEAD', path, { 'Accept-Encoding': encoding })

    // The duration of a search is in the body, and may add a byte.
    const measured = path.includes('search') ? ['content-length'] : []
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(lasting(head, measured)).toEqual(lasting(got, measured))
    expect(Number(got.headers['content-length'])).toBe(got.bytes.length)
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0)
  })
})

describe('compression', () => {
  test('is chosen by Accept-Encoding; each encoding has its own tag', async () => {
    const api = await startTestApp({ skills: skills() })
    const ask = (encoding: string) => api.get('/api/skills', { 'Accept-Encoding': encoding })

    const [plain, gzip, br] = [await ask('identity'), await ask('gzip, deflate'), await ask('gzip, deflate, br')]

    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(br.headers['content-encoding']).toBe('br')
    expect(gzip.text).toBe(plain.text)
    expect(br.text).toBe(plain.text)
    expect(br.bytes.length).toBeLessThan(plain.bytes.length / 2)
    const tag = String(plain.headers['etag']).slice(0, -1)
    expect([gzip.headers['etag'], br.headers['etag']]).toEqual([`${tag}-gzip"`, `${tag}-br"`])
    expect([plain, gzip, br].map(({ headers }) => headers['vary'])).toEqual(Array(3).fill('Accept-Encoding'))
  })

  test('is not used for small bodies', async () => {
    const api = await startTestApp()

    const { headers } = await api.get('/api/skills', { 'Accept-Encoding': 'br, gzip' })

    expect(headers).toMatchObject({ vary: 'Accept-Encoding', 'content-length': expect.stringMatching(/^\d{2,3}$/) })
    expect(headers).not.toHaveProperty('content-encoding')
  })

  test('is used for long problems too', async () => {
    const api = await startTestApp()
    const wrong = Array.from({ length: 30 }, (_, at) => `wrong${at}=1`).join('&')

    const answer = await api.get(`/api/skills?${wrong}`, { 'Accept-Encoding': 'gzip' })

    expect(answer).toMatchObject({
      status: 400,
      headers: { 'content-encoding': 'gzip', vary: 'Accept-Encoding', 'cache-control': 'no-store' },
      body: { code: 'invalid_parameters' },
    })
  })
})

test('the tag of a search is weak, and of its hits: bodies that differ in their duration alone have the same one', async () => {
  const api = await startTestApp({ skills: skills() })
  const tags = new Set<unknown>()
  const bodies = new Set<string>()

  for (let turn = 0; turn < 200 && bodies.size < 2; turn += 1) {
    const { headers, text } = await api.get('/api/v1/skills/search?q=pdf')
    tags.add(headers['etag'])
    bodies.add(text)
  }

  expect(bodies.size).toBe(2)
  expect([...tags]).toEqual([expect.stringMatching(/^W\/"/)])
  const withoutDuration = [...bodies].map((text) => ({ ...JSON.parse(text), tookMs: 0 }))
  expect(withoutDuration[1]).toEqual(withoutDuration[0])
})

test('the tag changes with the data', async () => {
  const api = await startTestApp({ skills: skills() })
  const { headers } = await api.get('/api/skills')
  await api.stores.catalog.put('skills', [aSkill({ repo: 'new' })])

  const changed = await api.get('/api/skills', { 'If-None-Match': String(headers['etag']) })

  expect(changed.status).toBe(200)
  expect(changed.headers['etag']).not.toBe(headers['etag'])
})

test('a response from the cache can be a 304 without its backend', async () => {
  let lost = false
  const api = await startTestApp({
    replace: ({ catalog }) => ({
      catalog: withOverrides(catalog, {
        readState: (key) => (lost ? Promise.reject(new Error('gone')) : catalog.readState(key)),
      }),
    }),
  })
  const { headers } = await api.get('/api/v1/stats')
  lost = true

  expect(await api.get('/api/v1/stats', { 'If-None-Match': String(headers['etag']) })).toMatchObject({
    status: 304,
    headers: { age: expect.stringMatching(/^\d+$/), 'cache-control': 'public, max-age=300' },
  })
})

test('a conditional request still gets its problem', async () => {
  const api = await startTestApp()

  const problem = await api.get('/api/skills/acme/none', { 'If-None-Match': '*' })

  expect(problem).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } })
  expect(problem.headers).not.toHaveProperty('etag')
})
