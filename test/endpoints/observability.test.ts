import { once } from 'node:events'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from '@jest/globals'
import { streaming } from '../support/export-drafts.js'
import { aSkill } from '../support/factories.js'
import { exchange } from '../support/raw-exchange.js'
import { startTestApp, type TestApp } from '../support/test-app.js'

/** The samples of one metric, by their labels. */
async function samples(api: TestApp, name: string): Promise<Record<string, number>> {
  const lines = (await api.metrics())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(name.length, at), Number(line.slice(at))]
    }),
  )
}

test('requests are counted by endpoint, method and status', async () => {
  const api = await startTestApp({ skills: [aSkill({ repo: 'pdf' })] })

  await api.get('/api/skills')
  await api.get('/api/v1/skills')
  await api.send('HEAD', '/api/skills?limit=1')
  await api.get('/api/skills?limit=x')
  await api.get('/api/skills/acme/pdf')
  await api.send('DELETE', '/api/skills/acme/pdf')
  await api.send('OPTIONS', '/api/v1/stats')

  expect(await samples(api, 'catalog_http_requests_total')).toEqual({
    '{endpoint="list-skills",method="GET",status="200"}': 2,
    '{endpoint="list-skills",method="HEAD",status="200"}': 1,
    '{endpoint="list-skills",method="GET",status="400"}': 1,
    '{endpoint="get-skill",method="GET",status="200"}': 1,
    '{endpoint="get-skill",method="other",status="405"}': 1,
    '{endpoint="stats",method="OPTIONS",status="204"}': 1,
  })
  expect(await samples(api, 'catalog_http_request_duration_seconds_count')).toEqual({
    '{endpoint="list-skills"}': 4,
    '{endpoint="get-skill"}': 2,
    '{endpoint="stats"}': 1,
  })
  expect(await samples(api, 'catalog_http_requests_under_way')).toEqual({ '': 0 })
})

test('any request keeps the number of labels small', async () => {
  const api = await startTestApp()

  for (let at = 0; at < 30; at += 1) {
    await api.get(`/nowhere/${at}`)
    await api.get(`/api/skills/owner-${at}/repo`)
  }

  expect(Object.keys(await samples(api, 'catalog_http_requests_total'))).toEqual([
    '{endpoint="none",method="GET",status="404"}',
    '{endpoint="get-skill",method="GET",status="404"}',
  ])
})

test('an aborted download closes its file, is no error, and is not counted as answered', async () => {
  const stream = new Readable({ read: () => stream.push(Buffer.alloc(65_536)) })
  const api = await startTestApp({
    skills: [aSkill()],
    replace: ({ exports }) => ({ exports: streaming(exports, stream) }),
  })
  await api.publishExports()
  const closed = once(stream, 'close')

  const download = request(`${api.url}/api/v1/export?type=skills`).end()
  download.on('error', () => undefined)
  const [response] = await once(download, 'response')
  await once(response, 'data')
  download.destroy()
  await closed

  const aborted = '{endpoint="export",method="GET",status="aborted"}'
  while ((await samples(api, 'catalog_http_requests_total'))[aborted] !== 1) {
    await new Promise(setImmediate)
  }
  expect(api.logLines.filter(({ level }) => Number(level) > 30)).toEqual([])
})

test('a client that closes its connection with the last byte of a download is counted as answered', async () => {
  const api = await startTestApp({ skills: [aSkill()] })
  await api.publishExports()
  const times = 50

  for (let time = 0; time < times; time += 1) {
    const [response] = await once(request(`${api.url}/api/v1/export?type=skills`).end(), 'response')
    let leftBytes = Number(response.headers['content-length'])
    for await (const chunk of response) {
      leftBytes -= chunk.length
      if (leftBytes === 0) {
        response.socket.destroy()
        break
      }
    }
  }

  const ended = '{endpoint="export",method="GET",status="200"}'
  await untilEnded(api, times)
  expect(await samples(api, 'catalog_http_requests_total')).toEqual({ [ended]: times })
})

test('the rate limits count admitted and refused requests, also without an endpoint', async () => {
  const api = await startTestApp({ config: { rateLimitPerMinute: 2 } })

  await api.get('/api/v1/export?type=skills')
  for (let time = 0; time < 4; time += 1) {
    await api.get('/api/skills')
  }
  await api.get('/api/v1/export?type=skills')

  expect(await samples(api, 'catalog_rate_limit_decisions_total')).toEqual({
    '{policy="export",outcome="admitted"}': 1,
    '{policy="default",outcome="admitted"}': 2,
    '{policy="default",outcome="refused"}': 4,
  })
  expect(await samples(api, 'catalog_http_requests_total')).toMatchObject({
    '{endpoint="list-skills",method="GET",status="429"}': 3,
  })
})

test.each([
  [false, 0],
  [true, 1],
])('a limiter that falls back to local counts says so: %s', async (alone, value) => {
  const api = await startTestApp({
    replace: () => ({
      rateLimiter: {
        alone,
        consume: async (policy) => ({ policy, admitted: true, remaining: 1, resetAtMs: 0 }),
        peek: async (policy) => ({ policy, admitted: true, remaining: 1, resetAtMs: 0 }),
        close: async () => undefined,
      },
    }),
  })

  expect(await samples(api, 'catalog_rate_limit_fallback_active')).toEqual({ '': value })
})

/** Resolves when this number of requests has ended. */
async function untilEnded(api: TestApp, times: number): Promise<void> {
  const ended = async () => Object.values(await samples(api, 'catalog_http_requests_total'))
  while ((await ended()).reduce((sum, count) => sum + count, 0) < times) {
    await new Promise(setImmediate)
  }
}

const requests = ({ logLines }: TestApp) => logLines.filter(({ msg }) => msg === 'request')

test('a request is one line, without the search text and the full client address', async () => {
  const api = await startTestApp({ config: { trustedProxies: 1 } })

  await api.get('/api/v1/skills/search?q=secret+wish', {
    'X-Forwarded-For': '203.0.113.7',
    'X-Request-Id': 'r1',
    Authorization: 'Bearer token',
  })

  expect(requests(api)).toEqual([
    {
      level: 30,
      time: expect.any(Number),
      msg: 'request',
      requestId: 'r1',
      method: 'GET',
      path: '/api/v1/skills/search',
      endpoint: 'search-skills',
      status: 200,
      durationMs: expect.any(Number),
      network: '203.0.113.0/24',
    },
  ])
})

test('control characters are escaped and long paths shortened in the log', async () => {
  const api = await startTestApp()

  await api.get(`/%0a%1b[31m${'a'.repeat(5_000)}`)

  expect(String(requests(api)[0]?.['path'])).toMatch(/^\/%0a%1b\[31ma{189}$/)
})

test('health checks are logged at debug level', async () => {
  const api = await startTestApp()

  await api.get('/healthz')

  expect(requests(api)).toEqual([expect.objectContaining({ level: 20, path: '/healthz', status: 200 })])
})

test('malformed requests are logged too', async () => {
  const api = await startTestApp()

  const { head } = await exchange(api.url, 'GET /secret wish HTTP/1.1\r\nAuthorization: Bearer token\r\n\r\n')

  const requestId = /X-Request-Id: (.+)/.exec(head)?.[1]
  const [line] = api.logLines.filter(({ msg }) => msg === 'malformed request refused')
  expect(line).toEqual({
    level: 30,
    time: expect.any(Number),
    msg: 'malformed request refused',
    requestId,
    status: 400,
    network: '127.0.0.0/24',
  })
  expect(await api.metrics()).toContain('catalog_http_requests_total{endpoint="none",method="unread",status="400"} 1\n')
})
