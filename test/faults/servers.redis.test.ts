import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect } from '@jest/globals'
import { Redis } from 'ioredis'
import { BullmqScheduler } from '../../shared/adapters/servers/bullmq/scheduler.js'
import { RedisRateLimiter } from '../../shared/adapters/servers/redis/rate-limiter.js'
import type { JobSchedule } from '../../shared/ports/job-scheduler.js'
import { afterTest } from '../support/after-test.js'
import { startLoopClock } from '../support/loop-clock.js'
import { type OwnRedis, startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startTestApp, type TestApp } from '../support/test-app.js'
import { keptLog, silentLog } from '../support/test-log.js'
import { until } from '../support/until.js'

const clock = startLoopClock()
afterAll(() => clock.stop())

/** Runs empty jobs, and counts their runs. */
async function countingScheduler(url: string, schedules: JobSchedule[]) {
  const scheduler = new BullmqScheduler({ url, ensureEveryMs: 200, log: silentLog() })
  afterTest(() => scheduler.stop(0))
  const runs = new Map<string, number>()
  await scheduler.start(schedules, async (name) => {
    runs.set(name, (runs.get(name) ?? 0) + 1)
    return {}
  })
  return {
    scheduler,
    runsOf: (name: string) => runs.get(name) ?? 0,
    /** Resolves when a job has run this often, from the start on. */
    until: async (name: string, times: number) => {
      await until(() => (runs.get(name) ?? 0) >= times)
    },
  }
}

testWithOwnRedis('10. Redis restart, AOF: schedule intact', async () => {
  const redis = await startOwnRedis(['--appendonly', 'yes', '--dir', temporaryFolder()])
  const { scheduler, runsOf, until } = await countingScheduler(redis.url, [
    { name: 'hourly', everySeconds: 3_600 },
    { name: 'tick', everySeconds: 1 },
  ])
  await Promise.all([until('hourly', 1), until('tick', 1)])
  const [before] = await scheduler.status()

  await redis.persisted()
  await redis.kill()
  await redis.start()

  await until('tick', runsOf('tick') + 2)
  const [after] = await scheduler.status()
  expect(after?.nextRunAt).toBe(before?.nextRunAt)
  // A new schedule starts with a run.
  expect(runsOf('hourly')).toBe(1)
})

testWithOwnRedis('11. Redis FLUSHALL: re-ensured <1 min', async () => {
  const { url } = await startOwnRedis()
  const { runsOf, until } = await countingScheduler(url, [{ name: 'tick', everySeconds: 1 }])
  await until('tick', 1)

  const redis = new Redis(url)
  await redis.flushall()

  await until('tick', runsOf('tick') + 3)
  expect(await redis.hget('catalog-jobs:tick:meta', 'concurrency')).toBe('1')
  redis.disconnect()
})

/** Two API services with a shared rate limit, the first with the log of its limiter. */
async function twoServices(redis: OwnRedis): Promise<{ api: TestApp; other: TestApp; messages: () => unknown[] }> {
  const { log, lines } = keptLog()
  const open = async (limiterLog: typeof log) => {
    const rateLimiter = await RedisRateLimiter.open({ url: redis.url, log: limiterLog })
    afterTest(() => rateLimiter.close())
    return startTestApp({ config: { rateLimitPerMinute: 20, trustedProxies: 1 }, replace: () => ({ rateLimiter }) })
  }
  return { api: await open(log), other: await open(silentLog()), messages: () => lines.map(({ msg }) => msg) }
}

async function ask(api: TestApp, client: string): Promise<{ status: number; remaining: number; tookMs: number }> {
  const beganMs = clock.nowMs()
  const { status, headers } = await api.get('/api/skills', { 'X-Forwarded-For': client })
  return { status, remaining: Number(headers['x-ratelimit-remaining']), tookMs: clock.nowMs() - beganMs }
}

for (const { name, hurt, heal } of [
  {
    name: '13. Redis stopped: API answers <250 ms, local limit',
    hurt: (redis: OwnRedis) => redis.kill(),
    heal: (redis: OwnRedis) => redis.start(),
  },
  {
    name: '14. Redis SIGSTOP: API answers <250 ms, local limit',
    hurt: (redis: OwnRedis) => redis.freeze(),
    heal: (redis: OwnRedis) => redis.thaw(),
  },
]) {
  testWithOwnRedis(name, async () => {
    const redis = await startOwnRedis()
    const { api, other, messages } = await twoServices(redis)
    for (let time = 0; time < 5; time += 1) {
      expect(await ask(api, '203.0.113.1')).toMatchObject({ status: 200 })
    }

    await hurt(redis)
    const answers = []
    for (let time = 0; time < 100; time += 1) {
      answers.push(await ask(api, '203.0.113.1'))
    }

    // The five admitted requests still count.
    expect(answers.map(({ status }) => status)).toEqual([...Array(15).fill(200), ...Array(85).fill(429)])
    expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(250)
    expect(messages()).toEqual([expect.stringContaining('counted by this instance alone')])

    await heal(redis)
    // Until the services share their counts.
    for (let round = 1; ; round += 1) {
      const client = `198.18.0.${round}`
      await ask(api, client)
      if ((await ask(other, client)).remaining === 18) {
        break
      }
      await sleep(100)
    }
    expect(messages()).toEqual([
      expect.stringContaining('counted by this instance alone'),
      expect.stringContaining('counted by all instances again'),
    ])
  })
}
