import { expect, test } from '@jest/globals'
import { startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

test('/healthz: the process is alive, even without its backends', async () => {
  const api = await startTestApp({
    replace: ({ catalog }) => ({
      catalog: withOverrides(catalog, { readState: () => Promise.reject(new Error('gone')) }),
    }),
  })

  expect(await api.get('/healthz')).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: { status: 'alive' },
  })
})

test('/readyz: every dependency by name', async () => {
  const api = await startTestApp()

  expect(await api.get('/readyz')).toMatchObject({
    status: 200,
    body: { status: 'ready', dependencies: { catalog: 'up', search: 'up', exports: 'up' } },
  })
})

test('/readyz lists which dependency is down', async () => {
  const api = await startTestApp({
    replace: ({ index }) => ({
      timeLimitMs: 1_000,
      index: withOverrides(index, { status: () => new Promise(() => {}) }),
    }),
  })

  expect(await api.get('/readyz')).toMatchObject({
    status: 503,
    body: { status: 'not_ready', dependencies: { catalog: 'up', search: 'down', exports: 'up' } },
  })
})

test('/readyz checks at most once per second', async () => {
  let nowMs = 0
  let looks = 0
  const api = await startTestApp({
    replace: ({ index }) => ({
      clock: () => nowMs,
      index: withOverrides(index, {
        status: () => {
          looks += 1
          return index.status()
        },
      }),
    }),
  })

  await Promise.all(Array.from({ length: 30 }, () => api.get('/readyz')))
  nowMs += 999
  await api.get('/readyz')
  expect(looks).toBe(1)
  nowMs += 1
  await api.get('/readyz')
  expect(looks).toBe(2)
})

test.each(['/healthz', '/readyz'])('HEAD %s has no body', async (path) => {
  const api = await startTestApp()

  expect(await api.send('HEAD', path)).toMatchObject({ status: 200, text: '' })
})
