import { expect, test } from '@jest/globals'
import { overlaid } from '../../shared/overlaid.js'
import { startTestApp } from '../support/test-app.js'

test('/healthz: the process lives, whatever else does not', async () => {
  const api = await startTestApp({
    replace: ({ catalog }) => ({ catalog: overlaid(catalog, { readState: () => Promise.reject(new Error('gone')) }) }),
  })

  expect(await api.get('/healthz')).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: { status: 'alive' },
  })
})

test('/readyz: every dependency by its name', async () => {
  const api = await startTestApp()

  expect(await api.get('/readyz')).toMatchObject({
    status: 200,
    body: { status: 'ready', dependencies: { catalog: 'up', search: 'up', exports: 'up' } },
  })
})

test('/readyz tells which one is down', async () => {
  const api = await startTestApp({
    replace: ({ index }) => ({
      timeLimitMs: 1_000,
      index: overlaid(index, { status: () => new Promise(() => {}) }),
    }),
  })

  expect(await api.get('/readyz')).toMatchObject({
    status: 503,
    body: { status: 'not_ready', dependencies: { catalog: 'up', search: 'down', exports: 'up' } },
  })
})

test('/readyz looks once a second, however often it is asked', async () => {
  let nowMs = 0
  let looks = 0
  const api = await startTestApp({
    replace: ({ index }) => ({
      clock: () => nowMs,
      index: overlaid(index, {
        status: () => {
          looks += 1
          return index.status()
        },
      }),
    }),
  })

  await Promise.all(Array.from({ length: 30 }, () => api.get('/readyz')))
  expect(looks).toBe(1)
  nowMs += 1_000
  await api.get('/readyz')
  expect(looks).toBe(2)
})

test.each(['/healthz', '/readyz'])('HEAD %s has no body', async (path) => {
  const api = await startTestApp()

  expect(await api.send('HEAD', path)).toMatchObject({ status: 200, text: '' })
})
