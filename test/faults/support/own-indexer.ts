import { reconcile, reconcileLateWrites } from '../../../services/indexer/jobs/reconcile.js'
import { jobs, schedules } from '../../../services/indexer/jobs.js'
import { scheduledRun } from '../../../services/indexer/runner/run-job.js'
import { openScheduler, openStores } from '../../../shared/adapters/open.js'
import { readSharedConfig } from '../../../shared/runtime/config.js'
import { afterTest } from '../../support/after-test.js'
import type { ServersEnvironment } from '../../support/servers-catalog.js'
import { keptLog } from '../../support/test-log.js'

/** An indexer in this process, wired as `services/indexer/main.ts` does it. */
export interface OwnIndexer {
  /** The results of all runs of `reconcile`. */
  reconciled(): unknown[]
}

/**
 * Starts an indexer, which ends with the test.
 *
 * @param lateWriteSeconds how long after a takeover the index is compared
 */
export async function startOwnIndexer(env: ServersEnvironment, lateWriteSeconds: number): Promise<OwnIndexer> {
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
  await scheduler.start(
    scheduled,
    scheduledRun(jobs.servers, deps, (name) => scheduler.request(name)),
  )
  return {
    reconciled: () =>
      lines.flatMap(({ job, result }) => (job === reconcile.name && result !== undefined ? [result] : [])),
  }
}
