import { describe, expect, jest, test } from '@jest/globals'
import type { Job, JobResult } from '../../services/indexer/runner/job.js'
import { scheduledRun } from '../../services/indexer/runner/run-job.js'
import type { JobScheduler } from '../../shared/ports/job-scheduler.js'
import { withLock } from '../../shared/ports/locks.js'
import type { Logger } from '../../shared/runtime/log.js'
import { stateKeys } from '../../shared/state-keys.js'
import { afterTest } from '../support/after-test.js'
import { type JobBench, openJobBench } from '../support/job-bench.js'
import { aJob, aRun, noScheduler } from '../support/run-once.js'
import { keptLog } from '../support/test-log.js'

describe('scheduledRun', () => {
  test('a run that another process has in progress is no failure of the schedule, and an error by hand', async () => {
    const bench = await openJobBench()
    await bench.catalog.lock('a-job')
    const run = runOf(bench, [aJob()])

    expect(await run('a-job', aRun())).toEqual({ runningElsewhere: true })
    await expect(run('a-job', aRun({ byHand: true }))).rejects.toMatchObject({ code: 'job_running' })
  })

  test('waits for an abandoned lock to expire', async () => {
    const bench = await openJobBench()
    const lock = await bench.catalog.lock('a-job')

    const running = runOf(bench, [aJob()], { lockTimeoutMs: 20_000 })('a-job', aRun())
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

  test('a job that waits for another has not succeeded, and no job follows it', async () => {
    const bench = await openJobBench()
    const requested: string[] = []
    const waiting: Job = { ...aJob(async () => ({ waitingFor: 'a-job' })), followedBy: () => ['next'] }

    const request = async (name: string) => void requested.push(name)
    await runOf(bench, [waiting], {}, { request })('a-job', aRun())

    expect(await bench.catalog.readState(stateKeys.job('a-job'))).toMatchObject({
      outcome: 'waiting',
      lastSucceededAt: null,
    })
    expect(requested).toEqual([])
  })

  test('a scheduled run that cannot get the lock of another job has failed, and says so', async () => {
    const bench = await openJobBench()
    const lock = await bench.catalog.lock('another-job')
    const job = aJob((context) => withLock(context, 'another-job', 0, async () => ({ done: 1 })))

    await expect(runOf(bench, [job])('a-job', aRun())).rejects.toMatchObject({
      code: 'job_running',
      message: expect.stringContaining('another-job is running already'),
    })

    expect(await bench.catalog.readState(stateKeys.job('a-job'))).toMatchObject({ outcome: 'failed' })
    await lock?.release()
  })

  test('requests the jobs that follow, but those that are paused; a request that fails does not fail the run', async () => {
    const bench = await openJobBench()
    await bench.catalog.writeState(stateKeys.pausedJobs, ['second'])
    const { log, lines } = keptLog()
    const requested: string[] = []
    const leader = { ...aJob(), followedBy: ({ done }: JobResult) => [`first-${done}`, 'second', 'last'] }
    const request = async (name: string) => {
      requested.push(name)
      if (name === 'first-1') {
        throw new Error('the queue does not answer')
      }
    }

    expect(await runOf(bench, [leader], { log }, { request })('a-job', aRun())).toEqual({ done: 1 })

    expect(requested).toEqual(['first-1', 'last'])
    expect(lines).toContainEqual(expect.objectContaining({ level: 40, job: 'first-1' }))
  })

  test('a fault is logged when it begins, when it is another, and when it is over', async () => {
    const bench = await openJobBench()
    const { log, lines } = keptLog()
    const ends = ['unreachable', 'unreachable', 'full', 'unreachable', null, null, 'unreachable']
    const run = runOf(bench, [failing(ends)], { log })

    // By the schedule and by changes of the catalog, in turn.
    for (const place of ends.keys()) {
      await run('a-job', aRun({ byHand: place % 2 === 1 })).catch(() => undefined)
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

  test('the faults of two jobs are logged apart', async () => {
    const bench = await openJobBench()
    const { log, lines } = keptLog()
    const run = runOf(bench, [failing(['unreachable']), { ...failing(['unreachable']), name: 'b-job' }], { log })

    await expect(run('a-job', aRun())).rejects.toThrow('unreachable')
    await expect(run('b-job', aRun())).rejects.toThrow('unreachable')

    expect(lines).toMatchObject([
      { level: 50, job: 'a-job' },
      { level: 50, job: 'b-job' },
    ])
  })

  test('a job without work runs at its first turn, and is idle from then on', async () => {
    const bench = await openJobBench()
    const work = [false, true, false]
    let [runs, asked] = [0, 0]
    const job: Job = {
      ...aJob(async () => {
        runs += 1
        return { done: runs }
      }),
      hasWork: async () => {
        asked += 1
        return work[asked - 1] ?? false
      },
    }
    const run = runOf(bench, [job])

    expect(await run('a-job', aRun())).toEqual({ done: 1 })
    const { startedAt } = (await bench.catalog.readState<{ startedAt: string }>(stateKeys.job('a-job'))) ?? {}
    expect(await run('a-job', aRun())).toEqual({ idle: true })
    expect(await bench.catalog.readState(stateKeys.job('a-job'))).toMatchObject({ startedAt })
    expect(await run('a-job', aRun())).toEqual({ done: 2 })
    expect(await run('a-job', aRun({ byHand: true }))).toEqual({ done: 3 })
    expect(await run('a-job', aRun())).toEqual({ idle: true })
  })

  test('an idle job takes no lock', async () => {
    const bench = await openJobBench()
    const run = runOf(bench, [{ ...aJob(), hasWork: async () => false }])
    await run('a-job', aRun())
    await bench.catalog.lock('a-job')

    expect(await run('a-job', aRun())).toEqual({ idle: true })
  })

  test('a job runs when it has failed, and when its work cannot be read', async () => {
    const bench = await openJobBench()
    const ends = [null, 'full', null, null]
    let isReadable = true
    const job: Job = {
      ...failing(ends),
      hasWork: () => (isReadable ? Promise.resolve(false) : Promise.reject(new Error('unreachable'))),
    }
    const run = runOf(bench, [job])

    await run('a-job', aRun())
    await expect(run('a-job', aRun({ byHand: true }))).rejects.toThrow('full')
    expect(await run('a-job', aRun())).toEqual({ done: 0 })
    isReadable = false
    expect(await run('a-job', aRun())).toEqual({ done: 0 })
  })

  test('a job without work runs once a minute', async () => {
    const bench = await openJobBench()
    const run = runOf(bench, [{ ...aJob(), hasWork: async () => false }])
    await run('a-job', aRun())
    const began = performance.now()
    const monotonic = jest.spyOn(performance, 'now')
    afterTest(() => monotonic.mockRestore())
    const runAfter = (seconds: number) => {
      monotonic.mockImplementation(() => began + seconds * 1_000)
      return run('a-job', aRun())
    }

    expect(await runAfter(59)).toEqual({ idle: true })
    expect(await runAfter(61)).toEqual({ done: 1 })
    expect(await runAfter(62)).toEqual({ idle: true })
  })

  test('no job follows a failed run', async () => {
    const bench = await openJobBench()
    const triggered: string[] = []
    const leader = { ...aJob(() => Promise.reject(new Error('no'))), followedBy: () => ['first'] }
    const request = async (name: string) => void triggered.push(name)
    const run = runOf(bench, [leader], {}, { request })

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
  deps: { lockTimeoutMs?: number; log?: Logger; clock?: () => Date } = {},
  scheduler: Pick<JobScheduler, 'request'> = noScheduler,
) =>
  scheduledRun(
    jobs,
    { ...bench, changesKeptDays: 90, log: keptLog().log, clock: () => new Date(), lockTimeoutMs: 0, ...deps },
    scheduler,
  )
