import { expect, test } from '@jest/globals'
import { Gauge } from 'prom-client'
import { openOperations, ReadinessCheck, readOperationsConfig } from '../../shared/runtime/operations.js'
import { afterTest } from '../support/after-test.js'
import { freePort } from '../support/local-server.js'
import { sendTo } from '../support/test-app.js'

async function open() {
  const operations = await openOperations({ host: '127.0.0.1', port: await freePort() })
  afterTest(() => operations.close())
  const send = (method: string, path: string) => sendTo(String(operations.url), method, path)
  return { operations, send, get: (path: string) => send('GET', path) }
}

test('settings: off unless a port is given', () => {
  expect(readOperationsConfig({})).toEqual({ host: '127.0.0.1', port: 0, token: null })
  expect(readOperationsConfig({ HOST: '::1', METRICS_PORT: '9464' })).toEqual({
    host: '::1',
    port: 9_464,
    token: null,
  })
  expect(() => readOperationsConfig({ METRICS_PORT: '70000' })).toThrow(/METRICS_PORT: "70000" must be/)
  expect(readOperationsConfig({ OPERATIONS_TOKEN: 'sixteen-letters!' }).token).toBe('sixteen-letters!')
  for (const token of ['too-short', 'with spaces in the text', 'x'.repeat(257)]) {
    const read = () => readOperationsConfig({ OPERATIONS_TOKEN: token })
    expect(read).toThrow(/OPERATIONS_TOKEN: must have 16 to 256 characters, without spaces/)
    expect(read).not.toThrow(token)
  }
})

test('port 0: nothing listens, and metrics are still collected', async () => {
  const operations = await openOperations({ host: '127.0.0.1', port: 0 })

  expect(operations.url).toBe(null)
  expect(await operations.metrics.metrics()).toBe('\n')
  await operations.close()
})

test('/metrics: the process and its dependencies', async () => {
  const { operations, get } = await open()
  let lost = false
  let nowMs = 0
  const check = new ReadinessCheck(
    { catalog: async () => 'here', search: () => (lost ? Promise.reject(new Error('gone')) : Promise.resolve()) },
    () => nowMs,
  )
  operations.watch(check)

  const first = await get('/metrics')
  lost = true
  nowMs += 1_000
  const second = await get('/metrics?name=any')

  expect(first).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
  })
  expect(first.text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m)
  expect(first.text).toMatch(/^process_resident_memory_bytes \d/m)
  expect(first.text).toContain('catalog_dependency_up{dependency="search"} 1')
  expect(second.text).toContain('catalog_dependency_up{dependency="catalog"} 1')
  expect(second.text).toContain('catalog_dependency_up{dependency="search"} 0')
})

test('/readyz: not before the service has its dependencies; /healthz: at once', async () => {
  const { operations, get } = await open()

  expect(await get('/healthz')).toMatchObject({ status: 200, body: { status: 'alive' } })
  expect(await get('/readyz')).toMatchObject({ status: 503, body: { status: 'not_ready', dependencies: {} } })
  operations.watch(new ReadinessCheck({ catalog: async () => 'here' }))
  expect(await get('/readyz')).toMatchObject({
    status: 200,
    body: { status: 'ready', dependencies: { catalog: 'up' } },
  })
})

test('HEAD is GET without the body; other methods and paths are refused', async () => {
  const { send } = await open()

  const head = await send('HEAD', '/healthz')
  expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': '18' } })
  expect(await send('POST', '/metrics')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  expect(await send('GET', '/api/skills')).toMatchObject({ status: 404 })
})

test('a metric that cannot be collected is a 500, and the next scrape works', async () => {
  const { operations, get } = await open()
  const collect = () => {
    throw new Error('out of order')
  }
  new Gauge({ name: 'broken', help: 'broken', registers: [operations.metrics], collect })

  expect(await get('/metrics')).toMatchObject({ status: 500, text: 'The metrics could not be collected.\n' })
  expect((await get('/healthz')).status).toBe(200)
})
