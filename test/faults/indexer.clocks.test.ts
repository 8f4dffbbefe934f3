import { afterEach, expect, jest } from '@jest/globals'
import { BullmqScheduler } from '../../shared/adapters/servers/bullmq/scheduler.js'
import { stateKeys } from '../../shared/state-keys.js'
import { afterTest } from '../support/after-test.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { whenServer } from '../support/servers.js'
import { startTestApp } from '../support/test-app.js'
import { silentLog } from '../support/test-log.js'
import { until } from '../support/until.js'
import { expectInvariant } from './support/invariant.js'
import { type CrawledCatalog, crawledCatalog } from './support/own-catalog.js'
import { withCatalog } from './support/with-catalog.js'

const hourMs = 3_600_000
const yearMs = 365 * 24 * hourMs

afterEach(() => {
  jest.restoreAllMocks()
})

/** Moves the clock of this process. */
function moveClock(byMs: number): void {
  const now = Date.now
  jest.spyOn(Date, 'now').mockImplementation(() => now() + byMs)
}

/** Makes the database look as if its clock had been ahead until now. */
async function asIfSetBack({ catalog, db }: CrawledCatalog, byMs: number): Promise<void> {
  const ahead = byMs * 1_000
  await db.collection('catalog_skills').updateMany({}, { $inc: { sequence: ahead, version: byMs } })
  const bounds = { sequence: ahead, settled: ahead, horizon: ahead }
  await db.collection('change_log').updateMany({}, { $inc: { ...bounds, version: byMs, 'position.atMs': byMs } })
  const position = await catalog.readState<number>(stateKeys.syncPosition)
  await db
    .collection<{ _id: string }>('state')
    .updateOne({ _id: stateKeys.syncPosition }, { $set: { json: JSON.stringify(Number(position) + ahead) } })
  // Of processes that were killed.
  const expiresAt = new Date(Date.now() + byMs + 30_000)
  await db.collection('locks').updateMany({}, { $set: { holder: 'dead', expiresAt } })
}

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis(
      '30. Clock back 1 h/forward 1 y: no stall; Retry-After ≥1',
      async () => {
        for (const byMs of [hourMs, yearMs]) {
          const crawled = await crawledCatalog(mongodb(), meilisearch())
          const { env, skills, sync } = crawled
          await skills.insertMany(['one', 'two', 'three'].map((repo) => ({ owner: 'acme', repo })))
          await sync()
          await asIfSetBack(crawled, byMs)

          await skills.updateOne({ repo: 'one' }, { $set: { stars: 5, updatedAt: new Date() } })
          await skills.insertOne({ owner: 'acme', repo: 'four' })

          await withCatalog(env, async (next) => {
            expect(await next.ingest?.hasNew()).toBe(true)
            expect(await next.sync()).toMatchObject({ published: 2 })
          })
          expect(await expectInvariant(env)).toMatchObject({ compared: 4 })
          expect(await sync()).toMatchObject({ published: 0 })
        }

        const { url } = await startOwnRedis()
        let runs = 0
        const scheduler = new BullmqScheduler({ url, ensureEveryMs: 200, log: silentLog() })
        afterTest(() => scheduler.stop(0))
        moveClock(yearMs)
        await scheduler.start([{ name: 'tick', everySeconds: 1 }], async () => {
          runs += 1
          return {}
        })
        await until(() => runs >= 1)
        jest.restoreAllMocks()
        const before = runs
        await until(() => runs >= before + 3)
        moveClock(-hourMs)
        const then = runs
        await until(() => runs >= then + 3)
        jest.restoreAllMocks()

        const api = await startTestApp({
          config: { rateLimitPerMinute: 1 },
          replace: () => ({ clock: () => Date.now() }),
        })
        await api.get('/api/skills')
        for (const byMs of [0, -hourMs, yearMs]) {
          moveClock(byMs)
          const { status, headers } = await api.get('/api/skills')
          expect(status).toBe(429)
          expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
          expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
          jest.restoreAllMocks()
        }
      },
      300_000,
    )
  })
})
