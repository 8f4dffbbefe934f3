import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { BullmqScheduler, type BullmqSchedulerOptions } from '../../shared/adapters/servers/bullmq/scheduler.js'
import { afterTest } from '../support/after-test.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { whenServer } from '../support/servers.js'
import { keptLog, silentLog } from '../support/test-log.js'
import { until } from '../support/until.js'

function openScheduler(options: Pick<BullmqSchedulerOptions, 'url'> & Partial<BullmqSchedulerOptions>) {
  const scheduler = new BullmqScheduler({ log: silentLog(), ...options })
  afterTest(() => scheduler.stop(0))
  return scheduler
}

whenServer('redis', (url) => {
  test('two schedulers never run a job at the same time, by schedule and by hand', async () => {
    const prefix = `test-${randomUUID()}`
    const schedulers = [openScheduler({ url: url(), prefix }), openScheduler({ url: url(), prefix })]
    let running = 0
    let most = 0
    let runs = 0
    const run = async () => {
      running += 1
      most = Math.max(most, running)
      await sleep(150)
      running -= 1
      runs += 1
      return {}
    }
    for (const scheduler of schedulers) {
      await scheduler.start([{ name: 'slow', everySeconds: 1 }], run)
    }

    for (let round = 0; round < 5; round += 1) {
      await Promise.all(schedulers.map((scheduler) => scheduler.trigger('slow')))
    }

    expect(most).toBe(1)
    expect(runs).toBeGreaterThan(5)
  })

  test('a further start, here or elsewhere, neither duplicates nor resets a schedule', async () => {
    const prefix = `test-${randomUUID()}`
    let runs = 0
    const run = async () => {
      runs += 1
      return {}
    }
    const start = async () => {
      const scheduler = openScheduler({ url: url(), prefix })
      await scheduler.start([{ name: 'hourly', everySeconds: 3_600 }], run)
      await until(() => runs > 0)
      const [status] = await scheduler.status()
      return status?.nextRunAt
    }

    const first = await start()
    const later = [await start(), await start()]
    await sleep(300)

    expect(later).toEqual([first, first])
    expect(runs).toBe(1)
  })

  test('a changed interval is used', async () => {
    const prefix = `test-${randomUUID()}`
    const before = openScheduler({ url: url(), prefix })
    await before.start([{ name: 'sync', everySeconds: 3_600 }], async () => ({}))
    await before.trigger('sync')
    await before.stop(1_000)
    let runs = 0

    await openScheduler({ url: url(), prefix }).start([{ name: 'sync', everySeconds: 1 }], async () => {
      runs += 1
      return {}
    })

    await until(() => runs >= 3)
  })

  const ends = [
    ['ends', (signal: AbortSignal) => sleep(20_000, undefined, { signal })],
    // It has the run's lock, and never ends the run.
    ['is killed', () => new Promise(() => undefined)],
  ] as const
  const title = 'a run whose process %s is repeated by another one, and its triggers get that result'
  test.each(ends)(title, async (_how, untilEnd) => {
    const prefix = `test-${randomUUID()}`
    const schedules = [{ name: 'rebuild', everySeconds: null }]
    const asking = openScheduler({ url: url(), prefix })
    await asking.attach(schedules)
    // A process without a sign of life for a moment counts as dead.
    const ending = openScheduler({ url: url(), prefix, lockMs: 300 })
    let begun = false
    await ending.start(schedules, async (_name, { signal, watcher }) => {
      watcher.progress(1, 2)
      begun = true
      await untilEnd(signal)
      return {}
    })
    const heard: number[] = []
    const run = asking.trigger('rebuild', { progress: (done) => heard.push(done) })
    await until(() => begun && heard.length > 0)

    await ending.stop(1_000)
    expect(await asking.connected()).toBe(0)
    await openScheduler({ url: url(), prefix, lockMs: 300 }).start(schedules, async (_name, { byHand, watcher }) => {
      watcher.progress(2, 2)
      return { byHand }
    })

    expect(await run).toMatchObject({ outcome: 'succeeded', result: { byHand: true }, error: null })
    expect(await asking.connected()).toBe(1)
    expect(heard).toEqual([1, 2])
  })

  test('at most a hundred findings are reported', async () => {
    const scheduler = openScheduler({ url: url(), prefix: `test-${randomUUID()}` })
    await scheduler.start([{ name: 'verify', everySeconds: null }], async (_name, { watcher }) => {
      for (let place = 0; place < 250; place += 1) {
        watcher.report({ id: `acme/${place}`, kind: 'missing', reason: null })
      }
      return {}
    })
    const heard: string[] = []

    await scheduler.trigger('verify', { report: ({ id }) => heard.push(id) })

    expect(heard).toEqual(Array.from({ length: 100 }, (_, place) => `acme/${place}`))
  })

  test('the error of a run is shown at once, while it waits to be tried again', async () => {
    const scheduler = openScheduler({ url: url(), prefix: `test-${randomUUID()}` })
    await scheduler.start([{ name: 'hourly', everySeconds: 3_600 }], async () => {
      throw new Error('the database refuses it')
    })

    await until(async () => (await scheduler.status())[0]?.lastRun !== null)

    expect((await scheduler.status())[0]).toMatchObject({
      running: false,
      failed: 0,
      lastRun: { outcome: 'failed', error: 'the database refuses it' },
    })
  })

  test('a job that always throws has a limited number of retries, and the schedule continues', async () => {
    const prefix = `test-${randomUUID()}`
    const scheduler = openScheduler({ url: url(), prefix, firstRetryMs: 20 })
    let tries = 0
    await scheduler.start([{ name: 'doomed', everySeconds: 1 }], async () => {
      tries += 1
      throw new Error('never')
    })
    const redis = new Redis(url())
    const queue = new Queue('doomed', { connection: redis, prefix })

    await until(async () => (await queue.getFailedCount()) >= 2)

    const failed = await queue.getFailed()
    expect(failed.map(({ attemptsMade, failedReason }) => ({ attemptsMade, failedReason }))).toEqual(
      failed.map(() => ({ attemptsMade: 5, failedReason: 'never' })),
    )
    expect(tries).toBeLessThanOrEqual(5 * (failed.length + 1))
    expect((await scheduler.status())[0]?.lastRun).toMatchObject({ outcome: 'failed', error: 'never' })
    await queue.close()
    redis.disconnect()
  })
})

testWithOwnRedis('a Redis that restarts without data gets the schedules at once', async () => {
  const redis = await startOwnRedis()
  const { log, lines } = keptLog()
  const scheduler = openScheduler({ url: redis.url, log })
  let runs = 0
  await scheduler.start([{ name: 'tick', everySeconds: 1 }], async () => {
    runs += 1
    return {}
  })
  await until(() => runs >= 1)

  await redis.kill()
  await expect(scheduler.trigger('tick')).rejects.toMatchObject({ code: 'jobs_unavailable' })
  // A first command may be lost with the connection; those that follow find none.
  const failure = () => scheduler.status().then(String, ({ code, cause }) => `${code} ${cause.message}`)
  await until(async () => (await failure()).startsWith('jobs_unavailable connect ECONNREFUSED'))
  await redis.start()

  const before = runs
  await until(() => runs >= before + 2)
  // The interrupted run is gone from Redis, which its worker may report too.
  const messages = lines.filter(({ err }) => !/Missing (key|lock)/.test(JSON.stringify(err)))
  expect(messages.map(({ msg }) => msg)).toEqual([
    'jobs wait: Redis does not answer',
    'jobs continue: Redis answers again',
  ])
})

for (const [what, refuse, accept] of [
  ['is full', ['maxmemory-policy', 'noeviction', 'maxmemory', '1'], ['maxmemory', '0']],
  ['refuses a command', ['min-replicas-to-write', '1'], ['min-replicas-to-write', '0']],
] as const) {
  testWithOwnRedis(`a Redis that ${what} is logged once, and jobs continue when it accepts writes`, async () => {
    const { url } = await startOwnRedis()
    const redis = new Redis(url)
    const { log, lines } = keptLog()
    const scheduler = openScheduler({ url, log, ensureEveryMs: 200, lockMs: 300 })
    let runs = 0
    await scheduler.start([{ name: 'tick', everySeconds: 1 }], async () => {
      runs += 1
      return {}
    })
    await until(() => runs >= 1)

    await redis.call('CONFIG', 'SET', ...refuse)
    await until(() => lines.length > 0)
    await expect(scheduler.trigger('tick')).rejects.toMatchObject({ code: 'jobs_unavailable' })
    // Several more attempts that fail.
    await sleep(1_000)
    await redis.call('CONFIG', 'SET', ...accept)
    redis.disconnect()

    const before = runs
    // A run whose end could not be stored is repeated first.
    await until(() => runs >= before + 2 && lines.length > 1)
    expect(lines.map(({ msg }) => msg)).toEqual([`jobs wait: Redis ${what}`, 'jobs continue: Redis answers again'])
  })
}

test('a server that is no Redis is logged once', async () => {
  const other = createServer((socket) =>
    socket.on('error', () => socket.destroy()).write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  )
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { log, lines } = keptLog()
  const scheduler = openScheduler({ url: `redis://127.0.0.1:${(other.address() as AddressInfo).port}`, log })

  await scheduler.start([{ name: 'tick', everySeconds: 1 }], async () => ({}))
  await sleep(1_000)

  expect(lines.map(({ msg }) => msg)).toEqual(['jobs wait: Redis does not answer'])
  await scheduler.stop(0)
  other.close()
})

testWithOwnRedis('a trigger whose run Redis has lost gets an error', async () => {
  const { url } = await startOwnRedis()
  const scheduler = openScheduler({ url })
  let begun = false
  await scheduler.start([{ name: 'rebuild', everySeconds: null }], async (_name, { signal }) => {
    begun = true
    await sleep(20_000, undefined, { signal })
    return {}
  })
  const run = scheduler.trigger('rebuild').catch((error: unknown) => error)
  await until(() => begun)

  const redis = new Redis(url)
  await redis.flushall()
  redis.disconnect()

  expect(await run).toMatchObject({ code: 'run_lost' })
})
