import { expect, test } from '@jest/globals'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import { deferred } from './deferred.js'

/**
 * How a JobScheduler stops.
 *
 * @param scheduler tells the scheduler of the test that runs
 */
export function stopping(scheduler: () => JobScheduler): void {
  test('stopping asks the run under way to stop and waits for it', async () => {
    const begun = deferred()
    let ended = false
    await scheduler().start([{ name: 'long', everySeconds: 1 }], async (_job, { signal }) => {
      begun.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      ended = true
      return {}
    })
    await begun.promise

    await scheduler().stop(20_000)

    expect(ended).toBe(true)
  })

  test('stopping does not wait longer than the grace for a run that does not listen', async () => {
    const begun = deferred()
    const gate = deferred()
    await scheduler().start([{ name: 'deaf', everySeconds: 1 }], async () => {
      begun.resolve()
      await gate.promise
      return {}
    })
    await begun.promise

    await scheduler().stop(50)

    gate.resolve()
  })
}
