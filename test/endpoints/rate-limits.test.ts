import { createHash } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from '@jest/globals'
import { MemoryRateLimiter } from '../../shared/adapters/limits/memory-rate-limiter.js'
import { RedisRateLimiter } from '../../shared/adapters/servers/redis/rate-limiter.js'
import { intercepted } from '../support/job-bench.js'
import { startLoopClock } from '../support/loop-clock.js'
import { startTcpRelay } from '../support/relays.js'
import { whenServer } from '../support/servers.js'
import { startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'
import { withOverrides } from '../support/with-overrides.js'

const limits = { rateLimitPerMinute: 100, exportRateLimitPerMinute: 10 }

/** Limits over a clock that the test moves. */
function aClock() {
  const clock = { nowMs: Date.parse('2026-01-01T00:00:00.500Z') }
  const now = () => clock.nowMs
  return { clock, replace: () => ({ clock: now, rateLimiter: new MemoryRateLimiter({ clock: now }) }) }
}

const times = <T>(count: number, call: (time: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, time) => call(time)))

describe('headers', () => {
  test('have the limit, the remaining requests and the time until more are free', async () => {
    const { replace } = aClock()
    const api = await startTestApp({ config: limits, replace })

    expect((await api.get('/api/skills')).headers).toMatchObject({
      'ratelimit-policy': '"default";q=100;w=60',
      ratelimit: '"default";r=99;t=60',
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '99',
      'x-ratelimit-reset': String(Date.parse('2026-01-01T00:01:01Z') / 1_000),
    })
  })

  test('of a download have both policies, and the values of the tighter one', async () => {
    const { clock, replace } = aClock()
    const api = await startTestApp({ config: limits, replace })
    await api.get('/api/v1/export?type=skills')
    clock.nowMs += 20_000

    expect((await api.get('/api/v1/export?type=skills')).headers).toMatchObject({
      'ratelimit-policy': '"default";q=100;w=60, "export";q=10;w=60',
      ratelimit: '"export";r=8;t=40',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '8',
    })
    await times(95, () => api.get('/api/skills'))
    expect((await api.get('/api/v1/export?type=skills')).headers).toMatchObject({
      ratelimit: '"default";r=2;t=40',
      'x-ratelimit-limit': '100',
    })
  })
})

describe('over the limit', () => {
  test('the problem has the remedy and Retry-After, after which a request is admitted', async () => {
    const { clock, replace } = aClock()
    const api = await startTestApp({ config: { ...limits, rateLimitPerMinute: 1 }, replace })
    await api.get('/api/skills')
    clock.nowMs += 12_345

    const refused = await api.get('/api/skills')

    expect(refused).toMatchObject({
      status: 429,
      headers: {
        'retry-after': '48',
        ratelimit: '"default";r=0;t=48',
        'x-ratelimit-remaining': '0',
        'cache-control': 'no-store',
        'access-control-allow-origin': '*',
        'content-type': 'application/problem+json',
      },
      body: {
        status: 429,
        code: 'rate_limited',
        detail:
          'This client address may send 1 request in any 60 seconds. Wait 48 s, then continue; /api/v1/exports lists files with every record.',
      },
    })
    clock.nowMs += 48_000
    expect((await api.get('/api/skills')).status).toBe(200)
  })

  test('Retry-After is never 0', async () => {
    const { clock, replace } = aClock()
    const api = await startTestApp({ config: { ...limits, rateLimitPerMinute: 1 }, replace })
    await api.get('/api/skills')
    clock.nowMs += 59_999.5

    expect((await api.get('/api/skills')).headers).toMatchObject({ 'retry-after': '1', ratelimit: '"default";r=0;t=1' })
  })

  test('of all requests, refused downloads consume no download, and Retry-After is the longer wait', async () => {
    const { clock, replace } = aClock()
    const api = await startTestApp({ config: { rateLimitPerMinute: 3, exportRateLimitPerMinute: 2 }, replace })
    const download = () => api.get('/api/v1/export?type=skills')
    await download()
    clock.nowMs += 20_000
    await times(2, () => api.get('/api/skills'))

    const refused = await times(10, download)
    expect(refused.map(({ status }) => status)).toEqual(Array(10).fill(429))
    expect(refused[0]).toMatchObject({ headers: { 'retry-after': '40', ratelimit: '"default";r=0;t=40' } })

    clock.nowMs += 40_000
    expect(await download()).toMatchObject({ status: 503, headers: { ratelimit: '"default";r=0;t=20' } })
    // Both quotas are used up now, except for one remaining download: the wait is that of all requests.
    expect(await download()).toMatchObject({ status: 429, headers: { 'retry-after': '20' } })
    clock.nowMs += 20_000
    expect(await download()).toMatchObject({ status: 503 })
    // Only the download quota is used up (40 s more).
    expect(await download()).toMatchObject({
      status: 429,
      headers: { 'retry-after': '40', 'x-ratelimit-limit': '2' },
      body: { detail: expect.stringContaining('may start 2 downloads in any 60 seconds') },
    })
    expect(await api.get('/api/skills')).toMatchObject({ status: 200 })
  })

  test('no backend is called', async () => {
    const asked: string[] = []
    const api = await startTestApp({
      config: { ...limits, rateLimitPerMinute: 1 },
      replace: ({ catalog }) => ({
        catalog: withOverrides(catalog, {
          findSkill: (id) => {
            asked.push(id)
            return catalog.findSkill(id)
          },
        }),
      }),
    })
    await api.get('/api/skills/acme/kit@first')

    expect((await api.get('/api/skills/acme/kit@second')).status).toBe(429)
    expect(asked).toEqual(['acme/kit@first'])
  })

  test('preflights are answered, so that a page can read its 429', async () => {
    const api = await startTestApp({ config: { ...limits, rateLimitPerMinute: 1 } })
    await api.get('/api/skills')

    const preflight = await api.send('OPTIONS', '/api/skills', {
      Origin: 'https://page.example',
      'Access-Control-Request-Method': 'GET',
    })

    expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': '*' } })
  })
})

describe('a page', () => {
  test('costs one request, however much it reads, and its parts none', async () => {
    const api = await startTestApp({ sample: true, config: limits })
    const remaining = async (path: string) =>
      (await api.get(path, { Accept: 'text/html' })).headers['x-ratelimit-remaining']

    expect(await remaining('/statistics')).toBe('99')
    expect(await remaining('/?q=pdf')).toBe('98')
    const { text } = await api.get('/skills/quillmoor/pdf-table-lifter')
    const parts = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => String(path))
    expect(parts.length).toBeGreaterThan(2)
    for (const path of parts) {
      expect({ path, ...(await api.get(path)) }).toMatchObject({ path, status: 200 })
      expect(await remaining(path)).toBeUndefined()
    }
    // A file that is no part of a page is a request like any other.
    expect(await remaining('/assets/other.js')).toBe('96')
  })

  test('over the limit has its styles in itself, and its parts are still served', async () => {
    const api = await startTestApp({ sample: true, config: { ...limits, rateLimitPerMinute: 1 } })
    await api.get('/')

    const { status, headers, text } = await api.get('/statistics', { Accept: 'text/html' })

    expect(status).toBe(429)
    const [, styles = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []
    const digest = createHash('sha256').update(styles).digest('base64')
    expect(headers['content-security-policy']).toContain(`style-src 'self' 'sha256-${digest}';`)
    expect(text).not.toContain('rel="stylesheet"')
    for (const [, path] of text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      expect({ path, status: (await api.get(String(path))).status }).toEqual({ path, status: 200 })
    }
  })

  test('the same totals are asked for all day, which the catalog keeps', async () => {
    const { clock, replace } = aClock()
    const asked: string[][] = []
    const api = await startTestApp({
      sample: true,
      replace: (stores) => ({
        ...replace(),
        catalog: intercepted(stores.catalog, (name, call) => (...args) => {
          if (name === 'listSkills') {
            asked.at(-1)?.push(JSON.stringify(args[0]))
          }
          return call(...args)
        }),
      }),
    })

    for (const laterMs of [0, 1, 20 * 3_600_000]) {
      clock.nowMs += laterMs
      asked.push([])
      expect((await api.get('/statistics')).status).toBe(200)
    }

    expect(asked[0]?.length).toBeGreaterThan(10)
    expect(asked[1]).toEqual([])
    expect(asked[2]?.sort()).toEqual(asked[0]?.sort())
  })
})

/** Less than the time limit of one count, and much more than that of several counts together. */
const delayMs = 150

const clock = startLoopClock()
afterAll(() => clock.stop())

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) {
    await close()
  }
})

whenServer('redis', (redis) => {
  test.each([
    ['a download', {}, '"export"', 4],
    ['a further part of one', { Range: 'bytes=0-9' }, '"default"', 3],
  ])('the counts of %s share one time limit when Redis is slow', async (_, headers, policy, counts) => {
    const way = await startTcpRelay(redis())
    const limiter = await RedisRateLimiter.open({ url: way.url, log: silentLog() })
    closing.unshift(() => limiter.close())
    const spans: { beganMs: number; endedMs: number }[] = []
    const api = await startTestApp({
      replace: () => ({
        rateLimiter: intercepted(limiter, (_, call) => async (...args) => {
          const beganMs = clock.nowMs()
          const result = await call(...args)
          spans.push({ beganMs, endedMs: clock.nowMs() })
          return result
        }),
      }),
    })

    await api.get('/api/v1/export?type=skills', { Range: 'bytes=0-9' })
    spans.length = 0
    way.delayMs = delayMs

    const answer = await api.get('/api/v1/export?type=skills', headers)

    expect(answer.headers['ratelimit-policy']).toContain(policy)
    expect(spans).toHaveLength(counts)
    const tookMs = Math.max(...spans.map(({ endedMs }) => endedMs)) - Math.min(...spans.map(({ beganMs }) => beganMs))
    // It would be three times the delay if each count had its own time limit; it is 250 ms.
    expect(tookMs).toBeLessThan(400)
  })
})
