import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'

/** Enough for a response that is compressed. */
const skills = () => Array.from({ length: 5 }, (_, at) => aSkill({ repo: `pdf-${at}`, description: 'Reads PDF.' }))

const shared = sharedTestApp({ skills: skills() })

describe('compression', () => {
  test('is chosen by Accept-Encoding; each encoding has its own tag', async () => {
    const ask = (encoding: string) => shared().get('/api/skills', { 'Accept-Encoding': encoding })

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

  test('is used for long problems too', async () => {
    const wrong = Array.from({ length: 30 }, (_, at) => `wrong${at}=1`).join('&')

    const answer = await shared().get(`/api/skills?${wrong}`, { 'Accept-Encoding': 'gzip' })

    expect(answer).toMatchObject({
      status: 400,
      headers: { 'content-encoding': 'gzip', vary: 'Accept-Encoding', 'cache-control': 'no-store' },
      body: { code: 'invalid_parameters' },
    })
  })
})

test('the tag of a search is weak, and of its hits: bodies that differ in their duration alone have the same one', async () => {
  const tags = new Set<unknown>()
  const bodies = new Set<string>()

  for (let turn = 0; turn < 200 && bodies.size < 2; turn += 1) {
    const { headers, text } = await shared().get('/api/v1/skills/search?q=pdf')
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

test('a conditional request still gets its problem', async () => {
  const problem = await shared().get('/api/skills/acme/none', { 'If-None-Match': '*' })

  expect(problem).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } })
  expect(problem.headers).not.toHaveProperty('etag')
})
