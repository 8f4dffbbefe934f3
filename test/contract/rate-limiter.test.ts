import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { MemoryRateLimiter } from '../../shared/adapters/limits/memory-rate-limiter.js'
import { RedisRateLimiter } from '../../shared/adapters/servers/redis/rate-limiter.js'
import { whenServer } from '../support/servers.js'
import { silentLog } from '../support/test-log.js'
import { rateLimiterContract } from './rate-limiter.js'

rateLimiterContract('memory', async () => {
  let nowMs = Date.parse('2026-01-01T00:00:00Z')
  const limiter = new MemoryRateLimiter({ clock: () => nowMs })
  return {
    limiter,
    pass: async (ms) => {
      nowMs += ms
    },
    now: () => nowMs,
    clients: () => limiter.clients,
  }
})

whenServer('redis', (url) =>
  rateLimiterContract('redis', async () => {
    const redis = new Redis(url())
    await redis.flushdb()
    redis.disconnect()
    return {
      limiter: await RedisRateLimiter.open({ url: url(), log: silentLog() }),
      pass: async (ms) => {
        const untilMs = Date.now() + ms
        // A timer may end a millisecond early.
        while (Date.now() < untilMs) {
          await sleep(untilMs - Date.now())
        }
      },
      now: Date.now,
    }
  }),
)
