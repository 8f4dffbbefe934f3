import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect } from '@jest/globals'
import { Redis } from 'ioredis'
import { BullmqScheduler } from '../../shared/adapters/servers/bullmq/scheduler.js'
import { RedisRateLimiter } from '../../shared/adapters/servers/redis/rate-limiter.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-redis.js'
import { startTcpRelay } from '../support/own-tcp-relay.js'
import { keptLog, silentLog } from '../support/test-log.js'

const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) {
    await close()
  }
})

/** A primary and its replica behind one address, which leads to the primary. */
async function aPair() {
  const [first, second] = [await startOwnRedis(), await startOwnRedis()]
  const relay = await startTcpRelay(first.url)
  const [one, other] = [new Redis(first.url), new Redis(second.url)]
  closing.push(async () => [one, other].map((each) => each.disconnect()))
  const { port } = new URL(first.url)
  await other.replicaof('127.0.0.1', port)
  while (!(await other.info('replication')).includes('master_link_status:up')) {
    await sleep(50)
  }
  return {
    url: relay.url,
    replica: other,
    /** Promotes the replica, and demotes the primary; open connections stay with the server that they lead to. */
    async failOver() {
      await other.replicaof('NO', 'ONE')
      await one.replicaof('127.0.0.1', new URL(second.url).port)
      relay.target = second.url
    },
  }
}

testWithOwnRedis('after a failover limits are counted by the new primary', async () => {
  const { url, replica, failOver } = await aPair()
  const limiter = await RedisRateLimiter.open({ url, log: silentLog() })
  closing.push(() => limiter.close())
  const policy = { name: 'default' as const, quota: 1_000, windowSeconds: 60 }
  await limiter.consume(policy, 'before')
  await failOver()

  do {
    await sleep(50)
    await limiter.consume(policy, 'after')
  } while (limiter.alone || (await replica.keys('*after*')).length === 0)

  expect(limiter.alone).toBe(false)
})

testWithOwnRedis('after a failover jobs run on, by the schedule and by hand', async () => {
  const { url, failOver } = await aPair()
  const { log, lines } = keptLog()
  const scheduler = new BullmqScheduler({ url, log, lockMs: 2_000, ensureEveryMs: 500 })
  closing.push(() => scheduler.stop(1_000))
  let runs = 0
  await scheduler.start([{ name: 'a-job', everySeconds: 1 }], async () => ({ run: ++runs }))
  while (runs < 2) {
    await sleep(50)
  }

  await failOver()
  const before = runs
  while (runs < before + 3) {
    await sleep(50)
  }

  expect(await scheduler.trigger('a-job')).toMatchObject({ outcome: 'succeeded' })
  // A reply of the former primary is seen a few times at most, not at each command.
  expect(lines.length).toBeLessThan(50)
})
