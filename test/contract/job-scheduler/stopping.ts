import { expect, test } from '@jest/globals'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import { deferred } from './deferred.js'

/**
 * The stop of a JobScheduler.
 *
 * @param scheduler returns the scheduler of the running test
 */
export function stopping(scheduler: () => JobScheduler): void {
  test('stopping aborts the current run and waits for it', async () => {
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

  test('stopping waits at most the grace period for a run that ignores the signal', async () => {
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
