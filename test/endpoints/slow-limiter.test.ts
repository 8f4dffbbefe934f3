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
  test('the counts of a download share one time limit when Redis is slow', async () => {
    const way = await startTcpRelay(redis())
    way.delayMs = delayMs
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

    const answer = await api.get('/api/v1/export?type=skills')

    expect(answer.headers['ratelimit-policy']).toContain('"export"')
    expect(spans).toHaveLength(4)
    const tookMs = Math.max(...spans.map(({ endedMs }) => endedMs)) - Math.min(...spans.map(({ beganMs }) => beganMs))
    // It would be three times the delay if each count had its own time limit; it is 250 ms.
    expect(tookMs).toBeLessThan(400)
  })
})
