import { MemoryRateLimiter } from '../../shared/adapters/embedded/memory-rate-limiter.js'
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
