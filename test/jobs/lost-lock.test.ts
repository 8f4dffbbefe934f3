import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { embedSkills } from '../../services/indexer/jobs/embed-skills.js'
import { ingest } from '../../services/indexer/jobs/ingest.js'
import { rebuildIndex } from '../../services/indexer/jobs/rebuild-index.js'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { retryDeadLetters } from '../../services/indexer/jobs/retry-dead-letters.js'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import type { Job } from '../../services/indexer/runner/job.js'
import { GridFsExportStore } from '../../shared/adapters/servers/exports/gridfs-export-store.js'
import { takeLease } from '../../shared/adapters/servers/mongo/locks/lock.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aLock } from '../support/a-lock.js'
import { aModel } from '../support/a-model.js'
import { type CrawledCatalog, openCrawledCatalog } from '../support/crawled-catalog.js'
import { aSkill } from '../support/factories.js'
import { intercepted, type JobBench, openIndexBench, openJobBench, refusing } from '../support/job-bench.js'
import { whenServer } from '../support/servers.js'
import { storingRecords } from '../support/stored-records.js'
import { silentLog } from '../support/test-log.js'
import { withOverrides } from '../support/with-overrides.js'

/** Never renewed, as in a suspended process. */
const short = { leaseMs: 2_000, renewEveryMs: 60_000 }
const indexWrites = ['apply', 'createNext', 'swap']

/** The same port, which does something else right after the n-th call of a method has ended. */
function interruptedAfter<Port extends object>(
  port: Port,
  method: keyof Port,
  place: number,
  interrupt: () => Promise<unknown>,
): Port {
  let calls = 0
  return intercepted(port, (name, call) => async (...args) => {
    const result = await call(...args)
    calls += name === method ? 1 : 0
    if (name === method && calls === place) {
      await interrupt()
    }
    return result
  })
}

whenServer('mongodb', (url) => {
  let crawled: CrawledCatalog
  let bench: JobBench
  let exports: GridFsExportStore
  beforeEach(async () => {
    crawled = await openCrawledCatalog(url())
    bench = await openIndexBench()
    exports = new GridFsExportStore({ db: crawled.db, log: silentLog() })
    await crawled.catalog.put('skills', [aSkill({ repo: 'one' }), aSkill({ repo: 'two' })])
    await crawled.ingest()
  })

  /** Runs a job, by default on the stores of the bench. */
  const run = (job: Job, overrides: Parameters<JobBench['run']>[1] = {}) => {
    const { catalog, changes, documents } = crawled
    return bench.run(job, { catalog, changes, ingest: documents, exports, ...overrides })
  }

  /** A later holder takes every lock, while the earlier holder still counts its lease as valid. */
  const expireLeases = () =>
    crawled.db.collection('locks').updateMany({ holder: { $ne: null } }, { $set: { expiresAt: new Date(0) } })

  /** A later holder does its own run, while the first one is suspended. */
  const overtake = (job: Job) => async () => {
    await expireLeases()
    await crawled.catalog.put('skills', [aSkill({ repo: 'later' })])
    await crawled.ingest()
    await run(job, { clock: () => new Date('2030-01-01T00:00:00.000Z') })
  }
  const recordOf = (job: Job) => crawled.catalog.readState(stateKeys.job(job.name))

  describe('a run whose lock was taken over while it was suspended', () => {
    test('keeps no older position of the sync, and no record of its end', async () => {
      const index = interruptedAfter(bench.index, 'apply', 1, overtake(syncIndex))
      const slow = withOverrides(bench.index, { apply: index.apply.bind(index) })

      await expect(run(syncIndex, { index: slow })).rejects.toMatchObject({ code: 'lock_lost' })

      const { head } = await crawled.changes.bounds()
      expect(await crawled.catalog.readState(stateKeys.syncPosition)).toBe(head)
      expect(await recordOf(syncIndex)).toMatchObject({ outcome: 'succeeded', endedAt: '2030-01-01T00:00:00.000Z' })
      expect(await run(reconcile)).toMatchObject({ missing: 0, extra: 0, different: 0 })
    })

    test('replaces no dead letters', async () => {
      const since = '2030-01-01T00:00:00.000Z'
      const letter = { id: 'acme/one', reason: 'of the later holder', since, source: 'index' } as const
      const index = interruptedAfter(refusing(bench.index, 'acme/one'), 'apply', 1, async () => {
        await expireLeases()
        const later = await crawled.catalog.lock(syncIndex.name)
        await crawled.catalog.keepDeadLetters([letter], later ?? aLock())
        await later?.release()
      })

      await expect(run(syncIndex, { index })).rejects.toMatchObject({ code: 'lock_lost' })

      expect(await crawled.catalog.listDeadLetters(null, 10)).toEqual([letter])
      expect(await crawled.catalog.readState(stateKeys.syncPosition)).toBeNull()
    })

    test('logs nothing by an older head of the log', async () => {
      await crawled.skills.updateOne({ repo: 'one' }, { $set: { stars: 1 } })
      const { changes } = crawled
      const { rows } = crawled.catalog
      const read = rows.head.bind(rows)
      let isOvertaken = false
      rows.head = async () => {
        const head = await read()
        if (!isOvertaken) {
          isOvertaken = true
          await expireLeases()
          const other = await openCrawledCatalog(url(), crawled.address)
          await other.catalog.put('skills', [aSkill({ repo: 'later' })])
        }
        return head
      }

      await expect(run(ingest)).rejects.toMatchObject({ code: 'lock_lost' })

      const logged = (await changes.after(0, 10)).changes
      expect(logged.map(({ id }) => id).sort()).toEqual(['acme/later', 'acme/one', 'acme/two'])
      expect(await run(ingest)).toMatchObject({ published: 0, removed: 0 })
    })
  })

  describe('a run that was suspended for longer than its lease', () => {
    /** Writes that reached the index. */
    let written: string[]
    beforeEach(() => {
      written = []
    })
    const watched = () =>
      intercepted(bench.index, (name, call) => async (...args) => {
        const result = await call(...args)
        if (indexWrites.includes(name)) {
          written.push(name)
        }
        return result
      })

    /** Locks by a short lease, and a call that lasts longer, while others take the locks. */
    const standingStillAfter = (method: keyof CrawledCatalog['catalog'], place = 1) =>
      interruptedAfter(
        withOverrides(crawled.catalog, { lock: (name) => takeLease(crawled.db, name, short) }),
        method,
        place,
        async () => {
          await sleep(short.leaseMs + 50)
          await Promise.all([syncIndex, rebuildIndex].map(({ name }) => takeLease(crawled.db, name)))
        },
      )

    test('writes nothing into the index, a reconciliation that repairs', async () => {
      await run(syncIndex)
      await bench.index.apply({ publish: [], remove: ['acme/one'] }, 'live', aLock())
      // The first time, the differences are checked before the lock is taken.
      const catalog = standingStillAfter('findSkills', 2)

      await expect(run(reconcile, { catalog, index: watched() })).rejects.toMatchObject({ code: 'lock_lost' })

      expect(written).toEqual([])
    })
  })

  test('a retry of dead letters while the embedder is down leaves the work of embed-skills to its lock', async () => {
    const model = aModel()
    const withModel = await openJobBench({}, bench.dataDir, model)
    const index = storingRecords(bench.dataDir, withModel.index)
    const runWith = (job: Job, more: Parameters<JobBench['run']>[1] = {}) =>
      run(job, { index, embedder: model, ...more })
    await runWith(syncIndex, { index: refusing(index, 'acme/one') })
    // The epoch of each lock counts its holders.
    for (let holder = 0; holder < 5; holder += 1) {
      await runWith(retryDeadLetters, { index: refusing(index, 'acme/one') })
    }
    model.isDown = true
    await crawled.catalog.put('skills', [aSkill({ repo: 'one', name: 'one-changed' })])
    await crawled.ingest()

    expect(await runWith(retryDeadLetters)).toMatchObject({ tried: 1, rejected: 0 })
    model.isDown = false

    expect(await crawled.catalog.readState(stateKeys.unembeddedSince)).not.toBeNull()
    await runWith(embedSkills)
    expect(await crawled.catalog.readState(stateKeys.unembeddedSince)).toBeNull()
  })
})
