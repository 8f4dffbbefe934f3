import { describe, expect, test } from '@jest/globals'
import { MemoryRateLimiter } from '../../shared/adapters/limits/memory-rate-limiter.js'
import type { RateLimitPolicy } from '../../shared/ports/rate-limiter.js'

/** A limiter, and a request of a client at a time. */
function limiterOf(maxClients: number, quota: number) {
  const policy: RateLimitPolicy = { name: 'default', quota, windowSeconds: 1 }
  let nowMs = 0
  const limiter = new MemoryRateLimiter({ maxClients, clock: () => nowMs })
  const request = async (client: string, atMs: number) => {
    nowMs = atMs
    return (await limiter.consume(policy, client)).admitted
  }
  return { limiter, request }
}

describe('rate limits in memory', () => {
  test('drops the least recently used client above the maximum', async () => {
    const { limiter, request } = limiterOf(2, 1)
    await request('a', 0)
    await request('b', 1)
    await request('a', 2)

    await request('c', 3)

    expect(limiter.clients).toBe(2)
    expect(await request('a', 4)).toBe(false)
    expect(await request('b', 5)).toBe(true)
  })

  test('clients without requests in the window are dropped by calls of others', async () => {
    const { limiter, request } = limiterOf(1_000, 5)
    for (let client = 0; client < 500; client += 1) {
      await request(`idle-${client}`, client)
    }

    for (let call = 0; call < 500; call += 1) {
      await request('busy', 10_000 + call)
    }

    expect(limiter.clients).toBe(1)
  })
})
