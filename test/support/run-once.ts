import type { Job, JobResult } from '../../services/indexer/runner/job.js'
import { runJob } from '../../services/indexer/runner/run-job.js'
import type { Stores } from '../../shared/adapters/stores.js'
import { silentLog } from './test-log.js'

/** Does one run of a job. @param others other ports, another clock, a signal */
export const runOnce = (
  job: Job,
  stores: Omit<Stores, 'close'>,
  others: Partial<Parameters<typeof runJob>[1]> = {},
): Promise<JobResult> =>
  runJob(job, {
    ...stores,
    changesKeptDays: 90,
    log: silentLog(),
    signal: new AbortController().signal,
    clock: () => new Date(),
    ...others,
  })

/** A clock that is so many days ahead. */
export const inDays = (days: number) => (): Date => new Date(Date.now() + days * 86_400_000)
