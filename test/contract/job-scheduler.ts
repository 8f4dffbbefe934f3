import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { JobScheduler } from '../../shared/ports/job-scheduler.js'

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

    test('a job that never ran runs at once, and then again and again', async () => {
      const thirdRun = deferred()
      let runs = 0

      await scheduler.start([{ name: 'tick', everySeconds: 1 }], async () => {
        runs += 1
        if (runs === 3) {
          thirdRun.resolve()
        }
        return {}
      })

      await thirdRun.promise
    })

    test('a job without a schedule runs only when triggered', async () => {
      const ran: string[] = []
      const other = deferred()
      await scheduler.start(
        [
          { name: 'by-hand', everySeconds: null },
          { name: 'tick', everySeconds: 1 },
        ],
        async (job) => {
          ran.push(job)
          if (ran.filter((one) => one === 'tick').length === 2) {
            other.resolve()
          }
          return {}
        },
      )
      await other.promise
      expect(ran).not.toContain('by-hand')

      await scheduler.trigger('by-hand')

      expect(ran).toContain('by-hand')
    })

    test('a triggered run is told with its result and its times', async () => {
      await scheduler.start([{ name: 'count', everySeconds: null }], async () => ({ counted: 7 }))

      const run = await scheduler.trigger('count')

      expect(run).toMatchObject({ outcome: 'succeeded', result: { counted: 7 }, error: null })
      expect(Date.parse(run.startedAt)).toBeLessThanOrEqual(Date.parse(run.endedAt))
      expect(await scheduler.status()).toEqual([
        { name: 'count', everySeconds: null, running: false, waiting: 0, failed: 0, lastRun: run, nextRunAt: null },
      ])
    })

    test('a run knows whether it was triggered or is one of the schedule', async () => {
      const ran = new Map<string, boolean>()
      const scheduled = deferred()
      await scheduler.start(
        [
          { name: 'by-hand', everySeconds: null },
          { name: 'hourly', everySeconds: 3_600 },
        ],
        async (job, { byHand }) => {
          ran.set(job, byHand)
          if (job === 'hourly') {
            scheduled.resolve()
          }
          return {}
        },
      )
      await scheduled.promise

      await scheduler.trigger('by-hand')

      expect([...ran].sort()).toEqual([
        ['by-hand', true],
        ['hourly', false],
      ])
    })

    test('who triggers a run hears how far it has come and what it finds, all of it before it has ended', async () => {
      const finding = { id: 'acme/pdf', kind: 'missing', reason: null }
      await scheduler.start([{ name: 'verify', everySeconds: null }], async (_job, { watcher }) => {
        watcher.progress(10, null)
        watcher.report(finding)
        watcher.progress(20, 40)
        watcher.progress(40, 40)
        return {}
      })
      const heard = { progress: [] as unknown[], findings: [] as unknown[] }

      await scheduler.trigger('verify', {
        progress: (done, total) => heard.progress.push([done, total]),
        report: (found) => heard.findings.push(found),
      })

      // How far it has come may be told less often than the run tells it.
      expect(heard.progress.at(-1)).toEqual([40, 40])
      expect(heard.findings).toEqual([finding])
    })

    test('all who share a run hear of it, and of no other', async () => {
      const gate = deferred()
      const begun = deferred()
      let runs = 0
      await scheduler.start([{ name: 'slow', everySeconds: null }], async (_job, { watcher }) => {
        runs += 1
        watcher.progress(runs, null)
        begun.resolve()
        await gate.promise
        return {}
      })
      const heard: number[][] = [[], [], []]
      const trigger = (who: number) => scheduler.trigger('slow', { progress: (done) => heard[who]?.push(done) })
      const first = trigger(0)
      await begun.promise
      const second = trigger(1)
      while ((await scheduler.status())[0]?.waiting !== 1) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      const third = trigger(2)

      gate.resolve()
      await Promise.all([first, second, third])

      expect(heard).toEqual([[1], [2], [2]])
      expect((await scheduler.status())[0]).toMatchObject({ running: false, waiting: 0 })
    })

    test('what a run throws is told, and the job runs again', async () => {
      let runs = 0
      await scheduler.start([{ name: 'shaky', everySeconds: null }], async () => {
        runs += 1
        if (runs === 1) {
          throw new Error('the disk is on fire')
        }
        return {}
      })

      expect(await scheduler.trigger('shaky')).toMatchObject({
        outcome: 'failed',
        result: null,
        error: 'the disk is on fire',
      })
      expect(await scheduler.trigger('shaky')).toMatchObject({ outcome: 'succeeded' })
    })

    test('a job that fails by itself is tried again', async () => {
      const secondRun = deferred()
      let runs = 0

      await scheduler.start([{ name: 'shaky', everySeconds: 1 }], async () => {
        runs += 1
        if (runs === 1) {
          throw new Error('not yet')
        }
        secondRun.resolve()
        return {}
      })

      await secondRun.promise
    })

    test('runs of one job never overlap, however long they take and whoever triggers them', async () => {
      let running = 0
      let most = 0
      const fourthRun = deferred()
      let runs = 0
      await scheduler.start([{ name: 'slow', everySeconds: 1 }], async () => {
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

      await Promise.all([scheduler.trigger('slow'), scheduler.trigger('slow').then(() => scheduler.trigger('slow'))])
      await fourthRun.promise

      expect(most).toBe(1)
    })

    test('triggers during a run share one more run, which begins after they came', async () => {
      const gate = deferred()
      const begun = deferred()
      let runs = 0
      await scheduler.start([{ name: 'slow', everySeconds: null }], async () => {
        runs += 1
        begun.resolve()
        await gate.promise
        return { run: runs }
      })
      const first = scheduler.trigger('slow')
      await begun.promise

      const later = [1, 2, 3, 4].map(() => scheduler.trigger('slow'))
      gate.resolve()

      expect((await first).result).toEqual({ run: 1 })
      for (const run of await Promise.all(later)) {
        expect(run.result).toEqual({ run: 2 })
      }
      expect(runs).toBe(2)
    })

    test('jobs do not wait for one another', async () => {
      const gate = deferred()
      await scheduler.start(
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
      const stuck = scheduler.trigger('stuck')

      expect(await scheduler.trigger('quick')).toMatchObject({ outcome: 'succeeded' })
      expect((await scheduler.status()).find((job) => job.name === 'stuck')).toMatchObject({ running: true })

      gate.resolve()
      await stuck
    })

    test('a scheduled job says when it runs next', async () => {
      await scheduler.start([{ name: 'hourly', everySeconds: 3_600 }], async () => ({}))
      await scheduler.trigger('hourly')

      const [status] = await scheduler.status()

      const inSeconds = (Date.parse(String(status?.nextRunAt)) - Date.now()) / 1_000
      expect(inSeconds).toBeGreaterThan(3_500)
      expect(inSeconds).toBeLessThanOrEqual(3_601)
    })

    test('stopping asks the run under way to stop and waits for it', async () => {
      const begun = deferred()
      let ended = false
      await scheduler.start([{ name: 'long', everySeconds: 1 }], async (_job, { signal }) => {
        begun.resolve()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        ended = true
        return {}
      })
      await begun.promise

      await scheduler.stop(20_000)

      expect(ended).toBe(true)
    })

    test('stopping does not wait longer than the grace for a run that does not listen', async () => {
      const begun = deferred()
      const gate = deferred()
      await scheduler.start([{ name: 'deaf', everySeconds: 1 }], async () => {
        begun.resolve()
        await gate.promise
        return {}
      })
      await begun.promise

      await scheduler.stop(50)

      gate.resolve()
    })

    test('a job that is not there cannot be triggered', async () => {
      await scheduler.start([], async () => ({}))

      await expect(scheduler.trigger('nothing')).rejects.toThrow('nothing')
    })
  })
}

/** A promise that the test resolves when something has come to pass. */
function deferred() {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((resolvePromise) => {
    resolve = resolvePromise
  })
  return { promise, resolve }
}
