import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from '@jest/globals'
import { BullmqScheduler } from '../../shared/adapters/servers/bullmq/scheduler.js'
import { checkRedis, withRedis } from '../../shared/adapters/servers/redis/connect.js'
import { RedisRateLimiter } from '../../shared/adapters/servers/redis/rate-limiter.js'
import { afterTest } from '../support/after-test.js'
import { startLoopClock } from '../support/loop-clock.js'
import { type RedisGroup, startCluster, startPair, startWatchedPair } from '../support/own-redis-groups.js'
import { testWithOwnRedis } from '../support/own-servers.js'
import { startTestApp } from '../support/test-app.js'
import { keptLog, silentLog } from '../support/test-log.js'
import { until } from '../support/until.js'
import { withOverrides } from '../support/with-overrides.js'

const clock = startLoopClock()
afterAll(() => clock.stop())

/** Two indexers whose jobs note their runs; each has the next one after the end of the one before. */
async function startIndexers(url: string) {
  const { log, lines } = keptLog()
  const running = new Map<string, number>()
  const runs: string[] = []
  const schedules = [
    { name: 'tick', everySeconds: 1 },
    { name: 'hourly', everySeconds: 3_600 },
    { name: 'long', everySeconds: null },
  ]
  let maxAtOnce = 0
  const schedulers = [0, 1].map(() => new BullmqScheduler({ url, log, lockMs: 5_000, ensureEveryMs: 500 }))
  for (const scheduler of schedulers) {
    afterTest(() => scheduler.stop(1_000))
    await scheduler.start(schedules, async (name) => {
      running.set(name, (running.get(name) ?? 0) + 1)
      maxAtOnce = Math.max(maxAtOnce, ...running.values())
      await sleep(name === 'long' ? 4_000 : 50)
      running.set(name, (running.get(name) ?? 0) - 1)
      runs.push(name)
      return { name }
    })
  }
  const runsOf = (name: string) => runs.filter((each) => each === name).length
  return {
    schedulers,
    lines,
    runsOf,
    maxAtOnce: () => maxAtOnce,
    isRunning: (name: string) => running.get(name) === 1,
    untilRuns: (name: string, times: number) => until(() => runsOf(name) >= times),
  }
}

/** Two query services that share their counts, and answer a stream of requests until they are stopped. */
async function startServices(url: string) {
  const waitsMs: number[] = []
  const apis = await Promise.all(
    [0, 1].map(async () => {
      const shared = await RedisRateLimiter.open({ url, log: silentLog() })
      afterTest(() => shared.close())
      const rateLimiter = withOverrides(shared, {
        consume: async (...request) => {
          const beganMs = clock.nowMs()
          const decision = await shared.consume(...request)
          waitsMs.push(clock.nowMs() - beganMs)
          return decision
        },
      })
      return startTestApp({ config: { rateLimitPerMinute: 20, trustedProxies: 1 }, replace: () => ({ rateLimiter }) })
    }),
  )
  const ask = async (place: number, client: string) => {
    const answer = await apis[place]?.get('/api/skills', { 'X-Forwarded-For': client })
    return { status: answer?.status, remaining: Number(answer?.headers['x-ratelimit-remaining']) }
  }
  const answers: Awaited<ReturnType<typeof ask>>[] = []
  let isStopped = false
  const stream = (async () => {
    for (let request = 0; !isStopped; request += 1) {
      answers.push(await ask(request % 2, `198.51.100.${Math.floor(request / 10) % 250}`))
      await sleep(5)
    }
  })()
  let round = 0
  const areShared = async () => {
    round += 1
    for (const client of [1, 2, 3, 4, 5, 6, 7, 8].map((each) => `203.0.${round % 250}.${each}`)) {
      await ask(0, client)
      if ((await ask(1, client)).remaining !== 18) {
        return false
      }
    }
    return true
  }
  return {
    answers,
    /** How long each request waited for Redis. */
    waitsMs,
    stop: async () => {
      isStopped = true
      await stream
    },
    /** Waits until the services share the counts of clients, which are on all nodes of a cluster. */
    untilShared: () => until(areShared),
  }
}

for (const { name, start } of [
  { name: 'of a pair behind one address', start: startPair },
  { name: 'that a sentinel begins', start: startWatchedPair },
  { name: 'in a cluster', start: () => startCluster('{catalog-jobs}') },
] satisfies { name: string; start: () => Promise<RedisGroup> }[]) {
  testWithOwnRedis(
    `a failover ${name}: no schedule is lost, no run is twice at once, requests are answered`,
    async () => {
      const { url, failOver } = await start()
      const { schedulers, lines, runsOf, maxAtOnce, isRunning, untilRuns } = await startIndexers(url)
      const services = await startServices(url)
      await Promise.all([untilRuns('tick', 2), untilRuns('hourly', 1)])
      await services.untilShared()
      const long = schedulers[0]?.trigger('long')
      await until(() => isRunning('long'))
      await sleep(300)

      await failOver()

      expect(await long).toMatchObject({ outcome: 'succeeded', result: { name: 'long' } })
      await untilRuns('tick', runsOf('tick') + 3)
      for (const scheduler of schedulers) {
        expect(await scheduler.trigger('tick')).toMatchObject({ outcome: 'succeeded' })
      }
      await services.untilShared()
      await services.stop()
      expect({ hourly: runsOf('hourly'), long: runsOf('long'), maxAtOnce: maxAtOnce() }).toEqual({
        hourly: 1,
        long: 1,
        maxAtOnce: 1,
      })
      expect(new Set(services.answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect(Math.max(...services.waitsMs)).toBeLessThan(250)
      // An outage is logged once, and what a former primary replies a few times at most.
      expect(lines.length).toBeLessThan(50)
    },
  )
}

test.each(['redis://', 'redis+sentinel://', 'redis+cluster://'])(
  'a server at a %s address that never answers is abandoned in time, and is no error of the configuration',
  async (scheme) => {
    const silent = createServer().listen(0, '127.0.0.1')
    afterTest(() => silent.close())
    await once(silent, 'listening')
    const url = `${scheme}127.0.0.1:${(silent.address() as AddressInfo).port}${scheme.includes('sentinel') ? '/primary' : ''}`

    await expect(withRedis(url, 100, (redis) => redis.ping())).rejects.toThrow('no connection within 100 ms')
    await expect(checkRedis(url, 'REDIS_URL', true)).resolves.toBeUndefined()
  },
)
