import { expect, test } from '@jest/globals'
import { exchange } from '../support/raw-exchange.js'
import { startTestApp, type TestApp } from '../support/test-app.js'

const requests = ({ logLines }: TestApp) => logLines.filter(({ msg }) => msg === 'request')

test('a request is one line, without what was looked for and without the whole address', async () => {
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

test('control characters and endless paths do not reach the log as they are', async () => {
  const api = await startTestApp()

  await api.get(`/%0a%1b[31m${'a'.repeat(5_000)}`)

  expect(String(requests(api)[0]?.['path'])).toMatch(/^\/%0a%1b\[31ma{189}$/)
})

test('what monitors ask all day long is logged for those who debug', async () => {
  const api = await startTestApp()

  await api.get('/healthz')

  expect(requests(api)).toEqual([expect.objectContaining({ level: 20, path: '/healthz', status: 200 })])
})

test('what could not be read is told as well', async () => {
  const api = await startTestApp()

  const { head } = await exchange(api.url, 'GET /secret wish HTTP/1.1\r\nAuthorization: Bearer token\r\n\r\n')

  const requestId = /X-Request-Id: (.+)/.exec(head)?.[1]
  const [line] = api.logLines.filter(({ msg }) => msg === 'request refused unread')
  expect(line).toEqual({
    level: 30,
    time: expect.any(Number),
    msg: 'request refused unread',
    requestId,
    status: 400,
    network: '127.0.0.0/24',
  })
  expect(await api.metrics()).toContain('catalog_http_requests_total{endpoint="none",method="unread",status="400"} 1\n')
})
