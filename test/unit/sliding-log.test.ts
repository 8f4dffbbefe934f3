import { describe, expect, test } from '@jest/globals'
import { SlidingLog } from '../../shared/adapters/limits/memory-rate-limiter.js'

describe('sliding log', () => {
  test('drops the least recently used client above the maximum', () => {
    const log = new SlidingLog(2)
    log.ratelimiter('a', 0, 1_000, 1)
    log.ratelimiter('b', 1, 1_000, 1)
    log.ratelimiter('a', 2, 1_000, 1)

    log.ratelimiter('c', 3, 1_000, 1)

    expect(log.size).toBe(2)
    expect(log.ratelimiter('a', 4, 1_000, 1)[0]).toBe(0)
    expect(log.ratelimiter('b', 5, 1_000, 1)[0]).toBe(1)
  })

  test('clients without requests in the window are dropped by calls of others', () => {
    const log = new SlidingLog(1_000)
    for (let client = 0; client < 500; client += 1) {
      log.ratelimiter(`idle-${client}`, client, 1_000, 5)
    }

    for (let call = 0; call < 500; call += 1) {
      log.ratelimiter('busy', 10_000 + call, 1_000, 5)
    }

    expect(log.size).toBe(1)
  })
})
