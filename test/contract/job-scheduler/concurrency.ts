import { expect, test } from '@jest/globals'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import { deferred } from './deferred.js'

/**
 * The concurrent runs of a JobScheduler.
 *
 * @param scheduler returns the scheduler of the running test
 */
export function concurrency(scheduler: () => JobScheduler): void {
  test('runs of one job never overlap, for any duration and trigger', async () => {
    let running = 0
    let most = 0
    const fourthRun = deferred()
    let runs = 0
    await scheduler().start([{ name: 'slow', everySeconds: 1 }], async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 600))
      running -= 1
      runs += 1
      if (runs === 4) {
        fourthRun.resolve()
      }
      return {}
    })

    await Promise.all([
      scheduler().trigger('slow'),
      scheduler()
        .trigger('slow')
        .then(() => scheduler().trigger('slow')),
    ])
    await fourthRun.promise

    expect(most).toBe(1)
  })

  test('jobs do not wait for one another', async () => {
    const gate = deferred()
    await scheduler().start(
      [
        { name: 'stuck', everySeconds: null },
        { name: 'quick', everySeconds: null },
      ],
      async (job) => {
        if (job === 'stuck') {
          await gate.promise
        }
        return {}
      },
    )
    const stuck = scheduler().trigger('stuck')

    expect(await scheduler().trigger('quick')).toMatchObject({ outcome: 'succeeded' })
    expect((await scheduler().status()).find((job) => job.name === 'stuck')).toMatchObject({ running: true })

    gate.resolve()
    await stuck
  })
}
