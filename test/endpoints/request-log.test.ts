import { expect, test } from '@jest/globals'
import { exchange } from '../support/raw-exchange.js'
import { startTestApp, type TestApp } from '../support/test-app.js'

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
