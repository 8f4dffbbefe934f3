import { afterEach, beforeEach, describe } from '@jest/globals'
import type { JobScheduler } from '../../shared/ports/job-scheduler.js'
import { concurrency } from './job-scheduler/concurrency.js'
import { schedule } from './job-scheduler/schedule.js'
import { stopping } from './job-scheduler/stopping.js'
import { triggers } from './job-scheduler/triggers.js'

/**
 * The contract of every JobScheduler.
 *
 * @param open opens a scheduler without jobs and earlier runs
 */
export function jobSchedulerContract(name: string, open: () => Promise<JobScheduler>): void {
  describe(`job scheduler: ${name}`, () => {
    let scheduler: JobScheduler
    beforeEach(async () => {
      scheduler = await open()
    })
    afterEach(() => scheduler.stop(0))

    schedule(() => scheduler)
    triggers(() => scheduler)
    concurrency(() => scheduler)
    stopping(() => scheduler)
  })
}
