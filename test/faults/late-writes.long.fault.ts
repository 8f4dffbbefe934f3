import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { Meilisearch } from 'meilisearch'
import { reconcile, reconcileLateWrites } from '../../services/indexer/jobs/reconcile.js'
import { jobs, schedules } from '../../services/indexer/jobs.js'
import { scheduledRun } from '../../services/indexer/runner/run-job.js'
import { openScheduler, openStores } from '../../shared/adapters/open.js'
import { readSharedConfig } from '../../shared/runtime/config.js'
import { afterTest } from '../support/after-test.js'
import { startCatalogOn } from '../support/catalog-command.js'
import { aSkill } from '../support/factories.js'
import { isPost, type RelayedAnswer } from '../support/http-relay.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { startHttpRelay } from '../support/relays.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { emptyCatalog, type ServersEnvironment } from '../support/servers-catalog.js'
import { keptLog } from '../support/test-log.js'
import { until } from '../support/until.js'
import { expectInvariant } from './support/invariant.js'
import { endLeases } from './support/leases.js'
import { withCatalog } from './support/with-catalog.js'

/** An indexer in this process, wired as `services/indexer/main.ts` does it. */
interface OwnIndexer {
  /** The results of all runs of `reconcile`. */
  reconciled(): unknown[]
}

/**
 * Starts an indexer, which ends with the test.
 *
 * @param lateWriteSeconds how long after a takeover the index is compared
 */
async function startOwnIndexer(env: ServersEnvironment, lateWriteSeconds: number): Promise<OwnIndexer> {
  const { log, lines } = keptLog()
  const config = readSharedConfig(env)
  const stores = await openStores(config, { threads: false, writes: true, startTimeoutMs: 30_000, log })
  const scheduler = await openScheduler(config, { log })
  afterTest(async () => {
    await scheduler.stop(8_000)
    await stores.close()
  })
  const onTakeover = (lockName: string) => reconcileLateWrites(scheduler, lockName, lateWriteSeconds)
  const deps = { ...stores, changesKeptDays: 90, log, clock: () => new Date(), onTakeover }
  const table = schedules('servers', { sampleCatalog: false, changesKeptDays: 90, everySeconds: {} })
  // The daily run would repair everything as well.
  const scheduled = table.map((row) => (row.name === reconcile.name ? { ...row, everySeconds: null } : row))
  await scheduler.start(scheduled, scheduledRun(jobs.servers, deps, scheduler))
  return {
    reconciled: () =>
      lines.flatMap(({ job, result }) => (job === reconcile.name && result !== undefined ? [result] : [])),
  }
}

/** How long after the takeover of an expired lease the index is compared: longer than a busy machine takes to sync. */
const lateWriteSeconds = 60

/** A document counts as perhaps written again for some seconds after its time of writing. */
const settledMs = 12_000

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis(
      '17. Delayed zombie write: repaired by the comparison that the takeover of its lease schedules',
      async () => {
        const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
        const client = new Meilisearch({ host: meilisearch(), apiKey: meiliKey })
        const indexed = async () => {
          const { results } = await client.index('skills').getDocuments<{ id: string; stars: number }>({ limit: 100 })
          return results.map(({ id, stars }) => `${id} ${stars}`).sort()
        }
        await withCatalog(env, ({ catalog }) =>
          catalog.put(
            'skills',
            ['one', 'two', 'three'].map((repo) => aSkill({ repo, stars: 1 })),
          ),
        )

        // Checked its lease, sent its request, and stood still before the request arrived.
        const relay = await startHttpRelay(meilisearch())
        let zombie: (() => Promise<RelayedAnswer>) | undefined
        const held = new Promise<void>((resolve) => {
          relay.script = (request, forward) => {
            if (!isPost(request)) {
              return forward()
            }
            zombie = forward
            resolve()
            return new Promise(() => undefined)
          }
        })
        const process = startCatalogOn({ ...env, MEILI_URL: relay.url }, ['sync', '--local'])
        await held
        process.signal('SIGKILL')
        await process.ended
        await endLeases(env)

        await withCatalog(env, async ({ catalog }) => {
          await catalog.put('skills', [aSkill({ repo: 'one', stars: 2 })])
          await catalog.remove('skills', ['acme/two'])
        })
        const indexer = await startOwnIndexer(env, lateWriteSeconds)
        await until(async () => (await indexed()).join() === 'acme/one 2,acme/three 1')
        await sleep(settledMs)
        expect(indexer.reconciled()).toEqual([])

        const { taskUid } = JSON.parse(String((await zombie?.())?.body))
        expect(await client.tasks.waitForTask(taskUid, { timeout: 60_000 })).toMatchObject({ status: 'succeeded' })
        expect(await indexed()).toEqual(['acme/one 1', 'acme/three 1', 'acme/two 1'])

        // Nothing has changed since: only the comparison can repair it.
        await until(async () => indexer.reconciled().length > 0)
        expect(indexer.reconciled()[0]).toMatchObject({ extra: 1, different: 1, repaired: 2 })
        expect(await indexed()).toEqual(['acme/one 2', 'acme/three 1'])
        expect(await expectInvariant(env)).toMatchObject({ compared: 2 })
      },
      300_000,
    )
  })
})
