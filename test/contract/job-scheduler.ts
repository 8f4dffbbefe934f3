import { afterEach, beforeEach, describe } from '@jest/globals'
import type { JobScheduler } from '../../shared/ports/job-scheduler.js'
import { schedule } from './job-scheduler/schedule.js'
import { sideBySide } from './job-scheduler/side-by-side.js'
import { stopping } from './job-scheduler/stopping.js'
import { triggers } from './job-scheduler/triggers.js'

/**
 * What every JobScheduler keeps, whatever is underneath.
 *
 * @param open opens a scheduler that knows of no job and no earlier run
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
    sideBySide(() => scheduler)
    stopping(() => scheduler)
  })
}
