import { describe, expect, test } from '@jest/globals'
import type { Job, JobResult } from '../../services/indexer/job.js'
import { scheduledRun } from '../../services/indexer/run-job.js'
import type { Logger } from '../../shared/log.js'
import { stateKeys } from '../../shared/state-keys.js'
import { type JobBench, openJobBench } from '../support/job-bench.js'
import { aJob, aRun, noTrigger } from '../support/scheduled-jobs.js'
import { keptLog } from '../support/test-log.js'

describe('scheduledRun', () => {
  test('of the schedule: a run that another has under way is no failure', async () => {
    const bench = await openJobBench()
    const lock = await bench.catalog.lock('a-job')

    expect(await runOf(bench, [aJob()])('a-job', aRun())).toEqual({ runningElsewhere: true })

    await lock?.release()
  })

  test('by hand: a run that another has under way and does not end is told as what it is', async () => {
    const bench = await openJobBench()
    const lock = await bench.catalog.lock('a-job')

    await expect(runOf(bench, [aJob()])('a-job', aRun({ byHand: true }))).rejects.toMatchObject({ code: 'job_running' })

    await lock?.release()
  })

  test('waits for a lock that its holder has left behind', async () => {
    const bench = await openJobBench()
    const lock = await bench.catalog.lock('a-job')

    const running = runOf(bench, [aJob()], { lockPatienceMs: 20_000 })('a-job', aRun())
    await bench.catalog.readState('anything')
    await lock?.release()

    expect(await running).toEqual({ done: 1 })
  })

  test('of the schedule: a job that is paused does not run; by hand it does', async () => {
    const bench = await openJobBench()
    await bench.catalog.writeState(stateKeys.pausedJobs, ['a-job'])
    const run = runOf(bench, [aJob()])

    expect(await run('a-job', aRun())).toEqual({ paused: true })
    expect(await bench.catalog.readState(stateKeys.job('a-job'))).toBeNull()
    expect(await run('a-job', aRun({ byHand: true }))).toEqual({ done: 1 })
  })

  test('a job that waits for another has not succeeded, and runs again when that one has', async () => {
    const bench = await openJobBench()
    const waiting: Job = { ...aJob(), name: 'waiting', run: async () => ({ waitingFor: 'a-job' }) }
    let hear: (name: string) => void = () => undefined
    const triggered = new Promise<string>((resolve) => {
      hear = resolve
    })
    const run = runOf(bench, [waiting, aJob()], {}, async (name) => hear(name))

    await run('waiting', aRun())

    expect(await bench.catalog.readState(stateKeys.job('waiting'))).toMatchObject({
      outcome: 'waiting',
      lastSucceededAt: null,
    })
    await run('a-job', aRun())
    expect(await triggered).toBe('waiting')
  })

  test('triggers the jobs that follow, but those that are paused', async () => {
    const bench = await openJobBench()
    await bench.catalog.writeState(stateKeys.pausedJobs, ['second'])
    const triggered: string[] = []
    const leader = { ...aJob(), followedBy: ({ done }: JobResult) => [`first-${done}`, 'second', 'last'] }

    await new Promise<void>((resolve, reject) => {
      const trigger = async (name: string) => {
        triggered.push(name)
        if (name === 'last') {
          resolve()
        }
      }
      runOf(bench, [leader], {}, trigger)('a-job', aRun()).catch(reject)
    })

    expect(triggered).toEqual(['first-1', 'last'])
  })

  test('a fault is logged when it begins, when it is another, and when it is over', async () => {
    const bench = await openJobBench()
    const { log, lines } = keptLog()
    const ends = ['away', 'away', 'full', 'away', null, null, 'away']
    const run = runOf(bench, [failing(ends)], { log })

    for (const _end of ends) {
      await run('a-job', aRun()).catch(() => undefined)
    }

    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      [50, 'job failed'],
      [20, 'job failed'],
      [50, 'job failed'],
      [50, 'job failed'],
      [30, 'job succeeds again'],
      [20, 'job done'],
      [50, 'job failed'],
    ])
  })

  test('the faults of two jobs are told apart', async () => {
    const bench = await openJobBench()
    const { log, lines } = keptLog()
    const run = runOf(bench, [failing(['away']), { ...failing(['away']), name: 'b-job' }], { log })

    await expect(run('a-job', aRun())).rejects.toThrow('away')
    await expect(run('b-job', aRun())).rejects.toThrow('away')

    expect(lines).toMatchObject([
      { level: 50, job: 'a-job' },
      { level: 50, job: 'b-job' },
    ])
  })

  test('a fault that lasts is logged once, whether the schedule or a change of the catalog has the job run', async () => {
    const bench = await openJobBench()
    const { log, lines } = keptLog()
    const run = runOf(bench, [failing(['away', 'away', 'away', null])], { log })

    for (const byHand of [true, true, false, true]) {
      await run('a-job', aRun({ byHand })).catch(() => undefined)
    }

    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      [50, 'job failed'],
      [20, 'job failed'],
      [20, 'job failed'],
      [30, 'job succeeds again'],
    ])
  })

  test('nothing follows a run that failed', async () => {
    const bench = await openJobBench()
    const triggered: string[] = []
    const leader = { ...aJob(() => Promise.reject(new Error('no'))), followedBy: () => ['first'] }
    const run = runOf(bench, [leader], {}, async (name) => triggered.push(name))

    await expect(run('a-job', aRun())).rejects.toThrow('no')

    expect(triggered).toEqual([])
  })
})

/** A job whose runs fail with these words, one after the other; null: the run finds nothing to do. */
const failing = (ends: (string | null)[]): Job => {
  const left = [...ends]
  return aJob(async () => {
    const words = left.shift() ?? null
    if (words !== null) {
      throw new Error(words)
    }
    return { done: 0 }
  })
}

const runOf = (
  bench: JobBench,
  jobs: Job[],
  deps: { lockPatienceMs?: number; log?: Logger } = {},
  trigger: (name: string) => Promise<unknown> = noTrigger,
) =>
  scheduledRun(
    jobs,
    { ...bench, changesKeptDays: 90, log: keptLog().log, clock: () => new Date(), lockPatienceMs: 0, ...deps },
    trigger,
  )
