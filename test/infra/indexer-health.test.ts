import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { BullmqScheduler } from '../../shared/adapters/servers/bullmq/scheduler.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { silentLog } from '../support/test-log.js'

testWithOwnRedis('an indexer is healthy only while its workers ask Redis for jobs', async () => {
  const redis = await startOwnRedis()
  expect(await health(redis.url)).toBe(1)

  const scheduler = new BullmqScheduler({ url: redis.url, log: silentLog() })
  await scheduler.start([{ name: 'sync-index', everySeconds: null }], async () => ({}))
  // Workers connect at different times.
  while ((await health(redis.url)) !== 0) {}
  await scheduler.stop(1_000)
  expect(await health(redis.url)).toBe(1)

  await redis.kill()
  expect(await health(redis.url)).toBe(1)
})

/** The exit status of the image's health check. */
async function health(url: string): Promise<number> {
  const child = spawn(process.execPath, [join(projectRoot(), 'infra/docker/indexer-health.js')], {
    env: { ...process.env, REDIS_URL: url },
    stdio: 'ignore',
  })
  const [status] = await once(child, 'close')
  return status
}
