import { afterEach, describe, expect, test } from '@jest/globals'
import type { RateLimiter, RateLimitPolicy } from '../../shared/ports/rate-limiter.js'

/** A limiter under test, with a clock that the test advances. */
export interface OpenedRateLimiter {
  limiter: RateLimiter
  /** Advances the time: a fake clock at once, a real one by waiting. */
  pass(ms: number): Promise<void>
  /** The time of the limiter's clock, epoch milliseconds. */
  now(): number
  /** Number of clients that it keeps; undefined where that is unknown. */
  clients?(): number
}

/** Clients that a limiter in memory keeps. */
const maxClients = 50_000

/** Policies with short windows, so that a test with a real clock can wait for them. */
const policy = (quota: number, name: RateLimitPolicy['name'] = 'default'): RateLimitPolicy => ({
  name,
  quota,
  windowSeconds: 6,
})

/** The contract of every RateLimiter. */
export function rateLimiterContract(name: string, open: () => Promise<OpenedRateLimiter>): void {
  describe(`rate limiter: ${name}`, () => {
    let opened: OpenedRateLimiter | undefined

    afterEach(async () => {
      await opened?.limiter.close()
      opened = undefined
    })

    async function openLimiter(): Promise<OpenedRateLimiter> {
      opened = await open()
      return opened
    }

    test('admits exactly the quota of 300 requests at once, and counts down to none', async () => {
      const { limiter } = await openLimiter()

      const decisions = await Promise.all(
        Array.from({ length: 300 }, () => limiter.consume(policy(100), '203.0.113.1')),
      )

      const admitted = decisions.filter((decision) => decision.admitted)
      expect(admitted).toHaveLength(100)
      expect(admitted.map(({ remaining }) => remaining).sort((a, b) => b - a)).toEqual(
        Array.from({ length: 100 }, (_, position) => 99 - position),
      )
      expect(new Set(decisions.filter((decision) => !decision.admitted).map(({ remaining }) => remaining))).toEqual(
        new Set([0]),
      )
    })

    test('admits no more than the quota in any window, counts no refused request, and says when it admits one', async () => {
      const { limiter, pass, now } = await openLimiter()
      await consume(limiter, policy(10), 1)
      await pass(5_000)
      expect(await consume(limiter, policy(10), 20)).toBe(9)

      const { admitted, resetAtMs } = await limiter.consume(policy(10), '203.0.113.1')
      expect(admitted).toBe(false)
      expect(resetAtMs).toBeGreaterThan(now())
      expect(resetAtMs).toBeLessThanOrEqual(now() + 1_000)
      await pass(resetAtMs - now())

      expect(await consume(limiter, policy(10), 20)).toBe(1)
      expect(limiter.alone).toBe(false)
    })

    test('a peek counts nothing, and returns the decision of a request', async () => {
      const { limiter, now } = await openLimiter()
      const who = '203.0.113.1'

      expect(await limiter.peek(policy(2), who)).toMatchObject({ admitted: true, remaining: 2 })
      await consume(limiter, policy(2), 1)
      for (let time = 0; time < 5; time += 1) {
        expect(await limiter.peek(policy(2), who)).toMatchObject({ admitted: true, remaining: 1, policy: policy(2) })
      }
      await consume(limiter, policy(2), 1)

      const { admitted, remaining, resetAtMs } = await limiter.peek(policy(2), who)
      expect([admitted, remaining]).toEqual([false, 0])
      expect(resetAtMs).toBeGreaterThan(now())
      expect(resetAtMs).toBeLessThanOrEqual(now() + 6_000)
    })

    test('clients and policies are counted apart', async () => {
      const { limiter } = await openLimiter()
      await consume(limiter, policy(2), 5)

      expect(await limiter.consume(policy(2, 'export'), '203.0.113.1')).toMatchObject({ policy: policy(2, 'export') })
      expect(await consume(limiter, policy(2, 'export'), 5)).toBe(1)
      expect(await consume(limiter, policy(2), 5, '203.0.113.2')).toBe(2)
      expect(await consume(limiter, policy(2), 5, '2001:db8:0:1::/64')).toBe(2)
    })

    test('still counts a client after many others, in bounded memory', async () => {
      const { limiter, clients } = await openLimiter()
      const others = clients === undefined ? 5_000 : maxClients
      const wide = { ...policy(3), windowSeconds: 600 }
      await consume(limiter, wide, 3)

      for (let first = 0; first < others; first += 1_000) {
        await Promise.all(
          Array.from({ length: 1_000 }, (_, n) => first + n).map((other) =>
            limiter.consume(wide, `10.${other >> 16}.${(other >> 8) & 255}.${other & 255}`),
          ),
        )
        expect(await consume(limiter, wide, 1)).toBe(0)
      }

      expect(clients?.() ?? 0).toBeLessThanOrEqual(maxClients)
    })
  })
}

/** Number of admitted requests among `times` sequential ones. */
async function consume(
  limiter: RateLimiter,
  asked: RateLimitPolicy,
  times: number,
  client = '203.0.113.1',
): Promise<number> {
  let admitted = 0
  for (let time = 0; time < times; time += 1) {
    admitted += (await limiter.consume(asked, client)).admitted ? 1 : 0
  }
  return admitted
}
