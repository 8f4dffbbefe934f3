import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { MemoryRateLimiter } from '../../shared/adapters/limits/memory-rate-limiter.js'
import { RedisRateLimiter } from '../../shared/adapters/servers/redis/rate-limiter.js'
import type { RateLimitPolicy } from '../../shared/ports/rate-limiter.js'
import { whenServer } from '../support/servers.js'
import { keptLog } from '../support/test-log.js'

const clients = ['203.0.113.1', '203.0.113.2', '2001:db8:1:2::/64']

/** A request, or a peek, after a pause. */
const anyStep = fc.record({
  client: fc.constantFrom(...clients),
  name: fc.constantFrom<RateLimitPolicy['name'][]>('default', 'export'),
  looks: fc.boolean(),
  pauseMs: fc.nat(400),
})

test('one instance: never more than the quota in any window, never less than fits, per client and policy', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { maxLength: 150 }),
      fc.integer({ min: 1, max: 6 }),
      fc.nat(2_000_000_000_000),
      async (steps, quota, startMs) => {
        let nowMs = startMs
        const limiter = new MemoryRateLimiter({ clock: () => nowMs })
        const admitted = new Map<string, number[]>()
        for (const { client, name, looks, pauseMs } of steps) {
          nowMs += pauseMs
          const key = `${name} ${client}`
          const policy = { name, quota, windowSeconds: 1 }
          const inWindow = (admitted.get(key) ?? []).filter((timeMs) => timeMs > nowMs - 1_000)

          const decision = looks ? await limiter.peek(policy, client) : await limiter.consume(policy, client)

          const left = quota - inWindow.length
          expect(decision.admitted).toBe(left > 0)
          expect(decision.remaining).toBe(looks ? left : Math.max(0, left - 1))
          expect(decision.resetAtMs).toBe((inWindow[0] ?? nowMs) + 1_000)
          if (decision.admitted && !looks) {
            admitted.set(key, [...inWindow, nowMs])
          }
        }
      },
    ),
  )
})

/** Actions of two instances whose clocks are wrong by different offsets. */
const anyRound = fc.record({
  pauseMs: fc.nat(150),
  requests: fc.array(
    fc.record({ instance: fc.constantFrom(0, 1), skewMs: fc.constantFrom(0, -100_000, 100_000, -400, 400) }),
    { minLength: 1, maxLength: 8 },
  ),
})

whenServer('redis', (url) => {
  const cleanups: (() => unknown)[] = []
  afterEach(async () => {
    jest.restoreAllMocks()
    await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
  })

  /** Two instances on an empty Redis. */
  async function openTwo() {
    const redis = new Redis(url())
    const { log, lines } = keptLog()
    const two = await Promise.all([
      RedisRateLimiter.open({ url: url(), log }),
      RedisRateLimiter.open({ url: url(), log }),
    ])
    cleanups.push(...two.map((limiter) => () => limiter.close()), () => redis.disconnect())
    return {
      redis,
      consume: (instance: number, policy: RateLimitPolicy, client: string) =>
        two[instance % 2 === 0 ? 0 : 1].consume(policy, client),
      /** An empty Redis that both use. */
      async begin() {
        for (let asked = 0; two.some(({ alone }) => alone); asked += 1) {
          await Promise.all(
            two.map((limiter) => limiter.consume({ name: 'default', quota: 1, windowSeconds: 1 }, `any ${asked}`)),
          )
          await sleep(50)
        }
        await redis.flushdb()
        lines.splice(0)
      },
      /**
       * When Redis does not answer in time, as on a busy machine, each instance counts on its own: a different
       * guarantee.
       */
      expectShared: () => fc.pre(lines.length === 0),
    }
  }

  test('two instances whose clocks disagree: never more than the quota in any window', async () => {
    const windowMs = 500
    const { begin, consume, expectShared } = await openTwo()
    const [wall, ticks] = [Date.now.bind(Date), process.hrtime.bigint.bind(process.hrtime)]
    let skewMs = 0
    jest.spyOn(Date, 'now').mockImplementation(() => wall() + skewMs)
    // The driver reads the time from this.
    jest.spyOn(process.hrtime, 'bigint').mockImplementation(() => ticks() + BigInt(skewMs) * 1_000_000n)
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRound, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        async (rounds, quota) => {
          await begin()
          const admitted: { sentMs: number; answeredMs: number }[] = []
          for (const { pauseMs, requests } of rounds) {
            await sleep(pauseMs)
            const asked = requests.map(async (request) => {
              skewMs = request.skewMs
              const sentMs = performance.now()
              const policy = { name: 'default', quota, windowSeconds: windowMs / 1_000 } as const
              const decision = await consume(request.instance, policy, clients[0] ?? '')
              return decision.admitted ? [{ sentMs, answeredMs: performance.now() }] : []
            })
            admitted.push(...(await Promise.all(asked)).flat())
          }
          expectShared()

          expect(admitted.length).toBeGreaterThanOrEqual(Math.min(quota, rounds[0]?.requests.length ?? 0))
          for (const { sentMs } of admitted) {
            // Each was counted between its request and its response: these are certainly within one window.
            const together = admitted.filter((each) => each.sentMs >= sentMs && each.answeredMs < sentMs + windowMs - 1)
            expect(together.length).toBeLessThanOrEqual(quota)
          }
        },
      ),
      // Time is part of the test and cannot be reset.
      { numRuns: 4, endOnFailure: true },
    )
  })

  test("after any jump of Redis's own clock: the quota is that of the current window", async () => {
    const { redis, begin, consume, expectShared } = await openTwo()
    const seconds = (min: number, max: number) => fc.integer({ min, max })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.oneof(seconds(-1_000, -61), seconds(-30, -1), seconds(60, 100_000)), { maxLength: 12 }),
        fc.integer({ min: 1, max: 8 }),
        async (offsets, quota) => {
          await begin()
          const [now = 0] = await redis.time()
          for (const offset of offsets) {
            const micros = `${Number(now) + offset}000000`
            await redis.zadd(`rl:default:${clients[0]}`, micros, `${micros}-0`)
          }
          const policy = { name: 'default', quota, windowSeconds: 60 } as const
          let admitted = 0
          for (let request = 0; request < 10; request += 1) {
            admitted += (await consume(request, policy, clients[0] ?? '')).admitted ? 1 : 0
          }
          expectShared()

          const inWindow = offsets.filter((offset) => offset < 0 && offset > -60).length
          expect(admitted).toBe(Math.max(0, quota - inWindow))
        },
      ),
      { numRuns: 25 },
    )
  })
})
