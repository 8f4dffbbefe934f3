import { expect } from '@jest/globals'
import type { Job } from '../../../services/indexer/runner/job.js'
import { runJob } from '../../../services/indexer/runner/run-job.js'
import type { Stores } from '../../../shared/adapters/stores.js'
import { silentLog } from '../../support/test-log.js'
import { type CrashPoint, crashPoints, watchCalls } from './crash-points.mjs'

/**
 * Does one run of a job that ends at a crash point, as if its process did: nothing that it does after that, to clean up
 * or to keep how it ended, reaches the stores. Only its lock is released, as the lease of a dead process ends.
 */
export async function crashJob(job: Job, point: CrashPoint, stores: Omit<Stores, 'close'>): Promise<void> {
  const crash = new Error(`the process ends at ${point}`)
  let crashed = false
  const untilCrash = watchCalls(stores, (event, args) => {
    crashed ||= crashPoints[point](event, args)
    if (crashed) {
      throw crash
    }
  })
  const run = runJob(job, {
    ...untilCrash,
    changesKeptDays: 90,
    log: silentLog(),
    signal: new AbortController().signal,
    clock: () => new Date(),
  })
  await expect(run).rejects.toThrow(crash)
}
