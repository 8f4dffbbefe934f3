import { afterEach, expect } from '@jest/globals'
import { BullmqScheduler } from '../../shared/adapters/servers/bullmq/scheduler.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { silentLog } from '../support/test-log.js'
import { until } from '../support/until.js'

const opened: BullmqScheduler[] = []
const stopOpened = () => Promise.all(opened.splice(0).map((scheduler) => scheduler.stop(0)))
afterEach(stopOpened)

/** A process without a sign of life for a moment counts as dead. */
function openScheduler(url: string): BullmqScheduler {
  const scheduler = new BullmqScheduler({ url, lockMs: 300, log: silentLog() })
  opened.push(scheduler)
  return scheduler
}

testWithOwnRedis('9. Crashing scheduled job: failed after N starts', async () => {
  const { url } = await startOwnRedis()
  for (let death = 0; death < 7; death += 1) {
    await dieInRun(url)
  }
  let runs = 0

  const last = openScheduler(url)
  await last.start([{ name: 'rebuild', everySeconds: 3_600 }], async () => {
    runs += 1
    return {}
  })

  await until(async () => (await last.status())[0]?.lastRun?.outcome === 'failed')
  expect(runs).toBe(0)
  expect((await last.status())[0]?.lastRun?.error).toBe(
    'every process that started it has died or stalled before its end',
  )
  expect(await last.trigger('rebuild')).toMatchObject({ outcome: 'succeeded' })
})

/** Like a process that is killed during a run: it has the run's lock, and never ends the run. */
async function dieInRun(url: string): Promise<void> {
  let begun = false
  await openScheduler(url).start([{ name: 'rebuild', everySeconds: 3_600 }], () => {
    begun = true
    return new Promise(() => undefined)
  })
  await until(() => begun)
  await stopOpened()
}
