import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { checkRedis, pingRedis } from '../../shared/adapters/servers/redis/connect.js'
import { RedisRateLimiter } from '../../shared/adapters/servers/redis/rate-limiter.js'
import type { RateLimitDecision, RateLimiter, RateLimitPolicy } from '../../shared/ports/rate-limiter.js'
import { afterTest } from '../support/after-test.js'
import { startLoopClock } from '../support/loop-clock.js'
import { startCluster, startWatchedPair } from '../support/own-redis-groups.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { keptLog, silentLog } from '../support/test-log.js'

const quotaOf = (quota: number): RateLimitPolicy => ({ name: 'default', quota, windowSeconds: 60 })
const client = '203.0.113.1'

/** The time limit of a response, for any state of Redis. */
const inTimeMs = 250

const clock = startLoopClock()
afterAll(() => clock.stop())

async function openLimiter(url: string, log = silentLog()): Promise<RateLimiter> {
  const limiter = await RedisRateLimiter.open({ url, log })
  afterTest(() => limiter.close())
  return limiter
}

testWithOwnRedis('when Redis is out of memory: answers in time, limits locally, and recovers', async () => {
  const redis = await startOwnRedis()
  const { log, lines } = keptLog()
  const limiter = await openLimiter(redis.url, log)
  const policy = quotaOf(20)
  expect(admittedOf(await askTimes(limiter, policy, 5))).toBe(5)

  await redis.fill()
  const meanwhile = await askTimes(limiter, policy, 100)
  const slowestLater = Math.max(...(await askTimes(limiter, policy, 5, 'another')).map(({ tookMs }) => tookMs))

  expect(Math.max(slowestLater, ...meanwhile.map(({ tookMs }) => tookMs))).toBeLessThan(inTimeMs)
  // The five requests admitted before the outage are counted here.
  expect(admittedOf(meanwhile)).toBe(15)
  expect(limiter.alone).toBe(true)
  expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('counted by this instance alone')])

  await redis.empty()
  await untilShared(limiter, await openLimiter(redis.url))
  expect(limiter.alone).toBe(false)
  expect(lines.map(({ msg }) => msg)).toEqual([
    expect.stringContaining('counted by this instance alone'),
    expect.stringContaining('counted by all instances again'),
  ])
})

testWithOwnRedis('opens without Redis, counts locally, and joins the others once it is available', async () => {
  const redis = await startOwnRedis()
  await redis.kill()
  const { log, lines } = keptLog()
  const limiter = await openLimiter(redis.url, log)

  expect(admittedOf(await askTimes(limiter, quotaOf(3), 10))).toBe(3)

  await redis.start()
  await untilShared(limiter, await openLimiter(redis.url))
  expect(lines).toHaveLength(2)
})

interface Answer {
  decision: RateLimitDecision
  tookMs: number
}

async function ask(limiter: RateLimiter, policy: RateLimitPolicy, who: string): Promise<Answer> {
  const beganMs = clock.nowMs()
  const decision = await limiter.consume(policy, who)
  return { decision, tookMs: clock.nowMs() - beganMs }
}

async function askTimes(limiter: RateLimiter, policy: RateLimitPolicy, times: number, who = client): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let time = 0; time < times; time += 1) {
    answers.push(await ask(limiter, policy, who))
  }
  return answers
}

const admittedOf = (answers: Answer[]): number => answers.filter(({ decision }) => decision.admitted).length

/** Waits until one limiter counts the requests that the other admitted. */
async function untilShared(one: RateLimiter, other: RateLimiter): Promise<void> {
  const deadlineMs = Date.now() + 10_000
  for (let round = 0; Date.now() < deadlineMs; round += 1) {
    await one.consume(quotaOf(1), `round ${round}`)
    if (!(await other.consume(quotaOf(1), `round ${round}`)).admitted) {
      return
    }
    await sleep(100)
  }
  throw new Error('the limiters do not share counts again')
}

const check = (url: string) => checkRedis(url, 'REDIS_URL', true)

test('a Redis that disconnects is waited for like one that is down', async () => {
  const hangsUp = createServer((socket) => socket.once('data', () => socket.end())).listen(0, '127.0.0.1')
  await once(hangsUp, 'listening')

  // Only a time limit would end it, which does not keep a process alive.
  const waitsForLimit = sleep(500).then(() => 'waits for its time limit')

  expect(
    await Promise.race([check(`redis://127.0.0.1:${(hangsUp.address() as AddressInfo).port}`), waitsForLimit]),
  ).toBe(undefined)
  hangsUp.close()
})

testWithOwnRedis(
  'an address by sentinels is checked: its name, its password, and that these are sentinels',
  async () => {
    const { url } = await startWatchedPair()
    const sentinel = /127\.0\.0\.1:\d\d+/.exec(url)?.[0]

    await check(url)
    await pingRedis(url)
    await expect(check(url.replace('/catalog', '/another'))).rejects.toThrow(
      /No such master.* name of the primary in REDIS_URL/,
    )
    await expect(check(url.replace(':p%40', ':wrong'))).rejects.toThrow(/WRONGPASS.* REDIS_URL/)
    await expect(check(`redis://${sentinel}`)).rejects.toThrow(
      'REDIS_URL leads to a sentinel: name it as redis+sentinel:',
    )
    // Unavailable ones are waited for.
    await check('redis+sentinel://127.0.0.1:1/catalog')
  },
)

testWithOwnRedis('a user without the right to INFO is refused where jobs need it', async () => {
  const { url } = await startOwnRedis()
  const redis = new Redis(url)
  await redis.acl('SETUSER', 'limited', 'on', '>pw', '~*', '&*', '+@all', '-info')
  redis.disconnect()
  const limited = url.replace('redis://', 'redis://limited:pw@')

  await expect(check(limited)).rejects.toThrow(/NOPERM.*'info' command.* REDIS_URL/)
  await checkRedis(limited, 'RATE_LIMIT_REDIS_URL', false)
})

testWithOwnRedis('an address of a cluster is checked: that it is one', async () => {
  const { url } = await startCluster('any')
  const node = /127\.0\.0\.1:\d+/.exec(url)?.[0]
  const single = await startOwnRedis()

  await check(url)
  await pingRedis(url)
  await expect(check(`redis://${node}`)).rejects.toThrow(
    'REDIS_URL leads to a node of a cluster: name it as redis+cluster:',
  )
  await expect(check(single.url.replace('redis:', 'redis+cluster:'))).rejects.toThrow(
    /cluster support disabled.* REDIS_URL/,
  )
  await check('redis+cluster://127.0.0.1:1')
})
