import { afterEach, describe, expect, test } from '@jest/globals'
import type { RateLimiter, RateLimitPolicy } from '../../shared/ports/rate-limiter.js'

/** A limiter to be tested, with a clock that the test moves. */
export interface OpenedRateLimiter {
  limiter: RateLimiter
  /** Lets time pass: on a false clock at once, on a real one by waiting. */
  pass(ms: number): Promise<void>
  /** The present time of the limiter's clock, epoch milliseconds. */
  now(): number
  /** How many clients it remembers; undefined where the store cannot tell. */
  clients?(): number
}

/** Policies with short windows, so that adapters on real clocks can be waited for. */
const policy = (quota: number, name: RateLimitPolicy['name'] = 'default'): RateLimitPolicy => ({
  name,
  quota,
  windowSeconds: 6,
})

/** What every RateLimiter keeps, whatever is underneath. */
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

    test('answers with the policy that it was asked about', async () => {
      const { limiter } = await openLimiter()
      const asked = policy(7, 'export')

      expect((await limiter.consume(asked, '203.0.113.1')).policy).toEqual(asked)
    })

    test('admits no more than the quota around the end of a window', async () => {
      const { limiter, pass } = await openLimiter()
      await consume(limiter, policy(10), 1)
      await pass(5_000)
      expect(await consume(limiter, policy(10), 20)).toBe(9)

      await pass(1_200)

      expect(await consume(limiter, policy(10), 20)).toBe(1)
    })

    test('a look counts nothing, and tells what a request would be told', async () => {
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

    test('counts for all who share it', async () => {
      const { limiter } = await openLimiter()
      await consume(limiter, policy(1), 2)

      expect(limiter.alone).toBe(false)
    })

    test('a refused request does not count', async () => {
      const { limiter, pass } = await openLimiter()
      await consume(limiter, policy(3), 3)
      await pass(3_000)
      expect(await consume(limiter, policy(3), 50)).toBe(0)

      await pass(3_300)

      expect(await consume(limiter, policy(3), 50)).toBe(3)
    })

    test('resetAtMs is the time at which one more is admitted', async () => {
      const { limiter, pass, now } = await openLimiter()
      await consume(limiter, policy(1), 1)

      const { admitted, resetAtMs } = await limiter.consume(policy(1), '203.0.113.1')
      expect(admitted).toBe(false)
      expect(resetAtMs).toBeGreaterThan(now())
      expect(resetAtMs).toBeLessThanOrEqual(now() + 6_000)
      await pass(resetAtMs - now())

      expect(await consume(limiter, policy(1), 1)).toBe(1)
    })

    test('clients and policies are counted apart', async () => {
      const { limiter } = await openLimiter()
      await consume(limiter, policy(2), 5)

      expect(await consume(limiter, policy(2, 'export'), 5)).toBe(2)
      expect(await consume(limiter, policy(2), 5, '203.0.113.2')).toBe(2)
      expect(await consume(limiter, policy(2), 5, '2001:db8:0:1::/64')).toBe(2)
    })

    test('goes on counting a client while 50,000 others come by, in bounded memory', async () => {
      const { limiter, clients } = await openLimiter()
      const wide = { ...policy(3), windowSeconds: 600 }
      await consume(limiter, wide, 3)

      for (let other = 0; other < 50_000; other += 1) {
        await limiter.consume(wide, `10.${other >> 16}.${(other >> 8) & 255}.${other & 255}`)
        if (other % 1_000 === 0) {
          expect(await consume(limiter, wide, 1)).toBe(0)
        }
      }

      expect(clients?.() ?? 0).toBeLessThanOrEqual(50_000)
      // One after the other: on a busy machine that takes its time.
    }, 600_000)
  })
}

/** How many of `times` requests, one after the other, are admitted. */
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
