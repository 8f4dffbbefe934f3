import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { RedisRateLimiter } from '../../shared/adapters/servers/redis-rate-limiter.js'
import { intercepted } from '../support/job-bench.js'
import { whenServer } from '../support/servers.js'
import { startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'

/** Less than one count may take, and far more than several of them together. */
const delayMs = 150

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) {
    await close()
  }
})

/** The address of a way to a Redis on which every answer takes its time. */
async function aSlowWayTo(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const server = createServer((socket) => {
    const redis = connect(Number(port), hostname)
    socket.pipe(redis)
    redis.on('data', async (chunk) => {
      await sleep(delayMs)
      socket.write(chunk)
    })
    for (const end of [socket, redis]) {
      end.on('error', () => undefined)
      end.once('close', () => [socket, redis].map((each) => each.destroy()))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
}

whenServer('redis', (redis) => {
  test('a download that is counted several times does not wait longer for a slow Redis than any request', async () => {
    const limiter = await RedisRateLimiter.open({ url: await aSlowWayTo(redis()), log: silentLog() })
    closing.unshift(() => limiter.close())
    const spans: { beganMs: number; endedMs: number }[] = []
    const api = await startTestApp({
      replace: () => ({
        rateLimiter: intercepted(limiter, (_, call) => async (...args) => {
          const beganMs = performance.now()
          const result = await call(...args)
          spans.push({ beganMs, endedMs: performance.now() })
          return result
        }),
      }),
    })

    const answer = await api.get('/api/v1/export?type=skills')

    expect(answer.headers['ratelimit-policy']).toContain('"export"')
    expect(spans).toHaveLength(4)
    const tookMs = Math.max(...spans.map(({ endedMs }) => endedMs)) - Math.min(...spans.map(({ beganMs }) => beganMs))
    // Three times the delay, if each count had all the time that one may take; 250 ms on a machine that is not busy.
    expect(tookMs).toBeLessThan(400)
  })
})
