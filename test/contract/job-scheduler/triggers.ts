import { expect, test } from '@jest/globals'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import { deferred } from './deferred.js'

/**
 * The triggers of a JobScheduler and their results.
 *
 * @param scheduler returns the scheduler of the running test
 */
export function triggers(scheduler: () => JobScheduler): void {
  test('a job without a schedule runs only when triggered, and a run knows whether it was', async () => {
    const ran: [job: string, byHand: boolean][] = []
    const other = deferred()
    await scheduler().start(
      [
        { name: 'by-hand', everySeconds: null },
        { name: 'tick', everySeconds: 1 },
      ],
      async (job, { byHand }) => {
        ran.push([job, byHand])
        if (ran.length === 2) {
          other.resolve()
        }
        return {}
      },
    )
    await other.promise
    expect(ran).toEqual(Array(2).fill(['tick', false]))

    await scheduler().trigger('by-hand')

    expect(ran).toContainEqual(['by-hand', true])
  })

  test('a triggered run returns its result and its times', async () => {
    await scheduler().start([{ name: 'count', everySeconds: null }], async () => ({ counted: 7 }))

    const run = await scheduler().trigger('count')

    expect(run).toMatchObject({ outcome: 'succeeded', result: { counted: 7 }, error: null })
    expect(Date.parse(run.startedAt)).toBeLessThanOrEqual(Date.parse(run.endedAt))
    expect(await scheduler().status()).toEqual([
      { name: 'count', everySeconds: null, running: false, waiting: 0, failed: 0, lastRun: run, nextRunAt: null },
    ])
  })

  test('a trigger receives the progress and the findings of its run before its end', async () => {
    const finding = { id: 'acme/pdf', kind: 'missing' as const, reason: null }
    await scheduler().start([{ name: 'verify', everySeconds: null }], async (_job, { watcher }) => {
      watcher.progress(10, null)
      watcher.report(finding)
      watcher.progress(20, 40)
      watcher.progress(40, 40)
      return {}
    })
    const heard = { progress: [] as unknown[], findings: [] as unknown[] }

    await scheduler().trigger('verify', {
      progress: (done, total) => heard.progress.push([done, total]),
      report: (found) => heard.findings.push(found),
    })

    // Progress may be reported less often than the run reports it.
    expect(heard.progress.at(-1)).toEqual([40, 40])
    expect(heard.findings).toEqual([finding])
  })

  test('all triggers of a shared run receive its progress, and no other', async () => {
    const gate = deferred()
    const begun = deferred()
    let runs = 0
    await scheduler().start([{ name: 'slow', everySeconds: null }], async (_job, { watcher }) => {
      runs += 1
      watcher.progress(runs, null)
      begun.resolve()
      await gate.promise
      return {}
    })
    const heard: number[][] = [[], [], []]
    const trigger = (who: number) => scheduler().trigger('slow', { progress: (done) => heard[who]?.push(done) })
    const first = trigger(0)
    await begun.promise
    const second = trigger(1)
    while ((await scheduler().status())[0]?.waiting !== 1) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const third = trigger(2)

    gate.resolve()
    await Promise.all([first, second, third])

    expect(heard).toEqual([[1], [2], [2]])
    expect((await scheduler().status())[0]).toMatchObject({ running: false, waiting: 0 })
  })

  test('a request takes place, and shares a run with others that came before its start', async () => {
    const gate = deferred()
    const begun = deferred()
    let runs = 0
    await scheduler().start([{ name: 'slow', everySeconds: null }], async () => {
      runs += 1
      begun.resolve()
      await gate.promise
      return { run: runs }
    })

    await scheduler().request('slow')
    await begun.promise
    await scheduler().request('slow')
    await scheduler().request('slow')
    const shared = scheduler().trigger('slow')
    gate.resolve()

    expect((await shared).result).toEqual({ run: 2 })
    expect(runs).toBe(2)
  })

  test('the error of a run is reported, and the job can run again', async () => {
    let runs = 0
    await scheduler().start([{ name: 'shaky', everySeconds: null }], async () => {
      runs += 1
      if (runs === 1) {
        throw new Error('the disk is on fire')
      }
      return {}
    })

    expect(await scheduler().trigger('shaky')).toMatchObject({
      outcome: 'failed',
      result: null,
      error: 'the disk is on fire',
    })
    expect(await scheduler().trigger('shaky')).toMatchObject({ outcome: 'succeeded' })
  })

  test('an unknown job cannot be triggered', async () => {
    await scheduler().start([], async () => ({}))

    await expect(scheduler().trigger('nothing')).rejects.toThrow('nothing')
  })
}
