import { expect } from '@jest/globals'
import type { CrashPoint } from '../../../services/indexer/runner/crash-points.js'
import type { Job } from '../../../services/indexer/runner/job.js'
import { runJob } from '../../../services/indexer/runner/run-job.js'
import type { Stores } from '../../../shared/adapters/stores.js'
import { intercepted } from '../../support/job-bench.js'
import { silentLog } from '../../support/test-log.js'

/**
 * Does one run of a job that ends at a crash point, as if its process did: nothing that it does after that, to clean up
 * or to keep how it ended, reaches the stores. Only its lock is released, as the lease of a dead process ends.
 */
export async function crashJob(job: Job, point: CrashPoint, stores: Omit<Stores, 'close'>): Promise<void> {
  const crash = new Error(`the process ends at ${point}`)
  let crashed = false
  const untilCrash = <Port extends object>(port: Port): Port =>
    // As a port does, which never throws at once: a timer may be the caller.
    intercepted(
      port,
      (_, call) =>
        (...args) =>
          crashed ? Promise.reject(crash) : call(...args),
    )
  const run = runJob(job, {
    catalog: untilCrash(stores.catalog),
    index: untilCrash(stores.index),
    exports: untilCrash(stores.exports),
    datasets: untilCrash(stores.datasets),
    workFolder: stores.workFolder,
    changes: untilCrash(stores.changes),
    ingest: stores.ingest === null ? null : untilCrash(stores.ingest),
    embedder: stores.embedder,
    changesKeptDays: 90,
    log: silentLog(),
    signal: new AbortController().signal,
    clock: () => new Date(),
    reached: (reached) => {
      if (reached === point) {
        crashed = true
        throw crash
      }
    },
  })
  await expect(run).rejects.toThrow(crash)
}
