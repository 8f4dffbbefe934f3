import { expect, test } from '@jest/globals'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import { deferred } from './deferred.js'

/**
 * The scheduled runs of a JobScheduler.
 *
 * @param scheduler returns the scheduler of the running test
 */
export function schedule(scheduler: () => JobScheduler): void {
  test('a scheduled run that fails is retried', async () => {
    const secondRun = deferred()
    let runs = 0

    await scheduler().start([{ name: 'shaky', everySeconds: 1 }], async () => {
      runs += 1
      if (runs === 1) {
        throw new Error('not yet')
      }
      secondRun.resolve()
      return {}
    })

    await secondRun.promise
  })

  test('a scheduled job has the time of its next run', async () => {
    await scheduler().start([{ name: 'hourly', everySeconds: 3_600 }], async () => ({}))
    await scheduler().trigger('hourly')

    const [status] = await scheduler().status()

    const inSeconds = (Date.parse(String(status?.nextRunAt)) - Date.now()) / 1_000
    expect(inSeconds).toBeGreaterThan(3_500)
    expect(inSeconds).toBeLessThanOrEqual(3_601)
  })
}
