import { afterAll, afterEach, expect, test } from '@jest/globals'
import { RedisRateLimiter } from '../../shared/adapters/servers/redis/rate-limiter.js'
import { intercepted } from '../support/job-bench.js'
import { startLoopClock } from '../support/loop-clock.js'
import { startTcpRelay } from '../support/own-tcp-relay.js'
import { whenServer } from '../support/servers.js'
import { startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

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
