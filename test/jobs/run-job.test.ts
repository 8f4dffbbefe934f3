import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { jobs, schedules } from '../../services/indexer/jobs.js'
import { RunLog } from '../../services/indexer/runner/job.js'
import { scheduledRun } from '../../services/indexer/runner/run-job.js'
import { type Lock, withLock, withWriteLock } from '../../shared/ports/locks.js'
import { stateKeys } from '../../shared/state-keys.js'
import { type JobBench, openJobBench } from '../support/job-bench.js'
import { aJob, aRun, noScheduler } from '../support/run-once.js'
import { keptLog } from '../support/test-log.js'
import { withOverrides } from '../support/with-overrides.js'

/** The same catalog, whose locks have something else. */
const withLocks = (catalog: JobBench['catalog'], other: Partial<Lock>) =>
  withOverrides(catalog, {
    lock: async (name) => {
      const lock = await catalog.lock(name)
      return lock === null ? null : { ...lock, ...other }
    },
  })

describe('runJob', () => {
  test('stores the end of the run, and logs it once', async () => {
    const bench = await openJobBench()
    const { log, lines } = keptLog()

    const result = await bench.run(aJob(), { log, clock: () => new Date('2026-03-01T12:00:00.000Z') })

    expect(result).toEqual({ done: 1 })
    expect(await bench.catalog.readState(stateKeys.job('a-job'))).toEqual({
      startedAt: '2026-03-01T12:00:00.000Z',
      endedAt: '2026-03-01T12:00:00.000Z',
      outcome: 'succeeded',
      result: { done: 1 },
      error: null,
      lastSucceededAt: '2026-03-01T12:00:00.000Z',
    })
    expect(lines).toMatchObject([{ level: 30, job: 'a-job', msg: 'job done', result: { done: 1 } }])
  })

  test('a run that found no work is logged for debugging only', async () => {
    const bench = await openJobBench()
    const { log, lines } = keptLog()

    await bench.run(
      aJob(async () => ({ published: 0, removed: 0 })),
      { log },
    )

    expect(lines).toMatchObject([{ level: 20, msg: 'job done' }])
  })

  test('a long run is stored as running until it ends', async () => {
    const bench = await openJobBench()
    const key = stateKeys.jobRunningSince('a-job')
    const shown: unknown[] = []

    await bench.run(
      aJob(async () => {
        while (shown.at(-1) == null) {
          shown.push(await bench.catalog.readState(key))
          await sleep(50)
        }
        return { done: 1 }
      }),
      { clock: () => new Date('2026-03-01T12:00:00.000Z') },
    )

    expect(shown[0]).toBeNull()
    const since = '2026-03-01T12:00:00.000Z'
    expect(shown.at(-1)).toEqual({ since, seenAt: since })
    expect(await bench.catalog.readState(key)).toBeNull()
  })

  test('a run that waits is logged once as long as it waits', async () => {
    const bench = await openJobBench()
    const { log, lines } = keptLog()
    const runLog = new RunLog('a-job', log)
    const waiting = aJob(async () => ({ waitingFor: 'another-job' }))

    await bench.run(waiting, { log, runLog })
    await bench.run(waiting, { log, runLog })

    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      [30, 'job waits for another job'],
      [20, 'job waits for another job'],
    ])
  })

  test('a failed run is stored with its reason, and keeps the time of the last success', async () => {
    const bench = await openJobBench()
    const { log, lines } = keptLog()
    await bench.run(aJob(), { clock: () => new Date('2026-03-01T12:00:00.000Z') })

    await expect(
      bench.run(
        aJob(() => Promise.reject(new Error('the index is unavailable'))),
        { log, clock: () => new Date('2026-03-01T13:00:00.000Z') },
      ),
    ).rejects.toThrow('the index is unavailable')

    expect(await bench.catalog.readState(stateKeys.job('a-job'))).toMatchObject({
      outcome: 'failed',
      result: null,
      error: 'the index is unavailable',
      lastSucceededAt: '2026-03-01T12:00:00.000Z',
    })
    expect(lines).toMatchObject([{ level: 50, job: 'a-job', msg: 'job failed' }])
  })

  test('a second run at the same time is refused and leaves no trace', async () => {
    const bench = await openJobBench()
    let inside: unknown
    const { log, lines } = keptLog()

    await bench.run(
      aJob(async () => {
        inside = await bench.run(aJob(), { log }).catch((error: unknown) => error)
        return {}
      }),
    )

    expect(inside).toMatchObject({ code: 'job_running', message: expect.stringContaining('a-job is running already') })
    expect(lines).toEqual([])
    expect(await bench.run(aJob())).toEqual({ done: 1 })
  })

  test('a record that cannot be stored does not fail the run', async () => {
    const bench = await openJobBench()
    const { log, lines } = keptLog()
    const forgetful = withOverrides(bench.catalog, { writeState: () => Promise.reject(new Error('disk full')) })

    expect(await bench.run(aJob(), { catalog: forgetful, log })).toEqual({ done: 1 })

    expect(lines).toMatchObject([{ level: 40 }, { level: 30 }])
  })

  test('findings go to the log, the first hundred of them, and to the watcher', async () => {
    const bench = await openJobBench()
    const { log, lines } = keptLog()
    const finder = aJob(async ({ report }) => {
      for (let place = 0; place < 250; place += 1) {
        report({ kind: 'missing', id: `acme/${place}`, reason: null })
      }
      return { missing: 250 }
    })

    const found: unknown[] = []
    const watcher = { progress: () => undefined, report: (finding: unknown) => found.push(finding) }

    await scheduledRun(
      [finder],
      { ...bench, changesKeptDays: 90, log, clock: () => new Date() },
      noScheduler,
    )('a-job', { ...aRun(), watcher })

    expect(lines).toHaveLength(101)
    expect(lines[0]).toMatchObject({ level: 40, kind: 'missing', id: 'acme/0' })
    expect(found).toHaveLength(250)
  })
})

test('a run whose lock is lost is asked to stop', async () => {
  const bench = await openJobBench()
  const lost = new AbortController()
  const catalog = withLocks(bench.catalog, { lost: lost.signal })
  const { log, lines } = keptLog()
  const job = aJob(async ({ signal }) => {
    lost.abort(new Error('the lock was lost'))
    signal.throwIfAborted()
    return {}
  })

  await expect(bench.run(job, { catalog, log })).rejects.toThrow('the lock was lost')
  expect(lines).toMatchObject([{ level: 50, msg: 'job failed' }])
})

test('a run that fails with an expired lock ends for the loss of the lock', async () => {
  const bench = await openJobBench()
  const check = () => {
    throw new Error('the lock was lost')
  }
  const job = aJob(async () => {
    throw new Error('the request timed out')
  })

  await expect(bench.run(job, { catalog: withLocks(bench.catalog, { check }) })).rejects.toThrow('the lock was lost')
})

test('a lock that cannot be released hides neither the result of work nor why it failed', async () => {
  const bench = await openJobBench()
  const catalog = withLocks(bench.catalog, { release: () => Promise.reject(new Error('the connection was closed')) })
  const under = (lockOf: string, fails: boolean) =>
    aJob((context) =>
      withLock(context, lockOf, 0, async () => {
        if (fails) {
          throw new Error('the index is full')
        }
        return { done: 1 }
      }),
    )

  expect(await bench.run(under('one', false), { catalog })).toEqual({ done: 1 })
  await expect(bench.run({ ...under('other', true), name: 'b-job' }, { catalog })).rejects.toThrow('the index is full')
  expect(await withWriteLock(catalog, async () => 'written')).toBe('written')
})

test.each([true, false])('a run whose lock was taken over (%s) reports it', async (takenOver) => {
  const bench = await openJobBench()
  const catalog = withLocks(bench.catalog, { takenOver })
  let takeovers = 0

  await bench.run(aJob(), {
    catalog,
    onTakeover: () => {
      takeovers += 1
    },
  })

  expect(takeovers).toBe(takenOver ? 1 : 0)
})

test.each(['embedded', 'servers'] as const)('jobs are followed by jobs of the same mode, %s', (mode) => {
  const names = jobs[mode].map(({ name }) => name)
  const results = [{ rebuilt: true, published: 1, removed: 1, indexLost: true }]
  const followers = jobs[mode].flatMap((job) => results.flatMap((result) => job.followedBy?.(result) ?? []))

  expect(followers).toEqual(expect.arrayContaining(['sync-index', 'write-exports']))
  expect(names).toEqual(expect.arrayContaining(followers))
  expect(jobs[mode].map(({ summary }) => summary)).not.toContain('')
})

describe('schedules', () => {
  const config = { sampleCatalog: true, changesKeptDays: 90, everySeconds: { 'compute-stats': 10 } }
  const common = [
    { name: 'rebuild-index', everySeconds: null },
    { name: 'embed-skills', everySeconds: 60 },
    { name: 'compute-stats', everySeconds: 10 },
    { name: 'write-exports', everySeconds: 3_600 },
    { name: 'write-dataset', everySeconds: 86_400 },
    { name: 'reconcile', everySeconds: 86_400 },
    { name: 'divide-sitemap', everySeconds: 3_600 },
    { name: 'record-history', everySeconds: 3_600 },
    { name: 'retry-dead-letters', everySeconds: null },
  ]

  test('are those of the jobs of a mode, unless configured', () => {
    expect(schedules('embedded', config)).toEqual([{ name: 'sync-index', everySeconds: 0.5 }, ...common])
    expect(schedules('servers', config)).toEqual([
      { name: 'ingest', everySeconds: 10 },
      { name: 'sync-index', everySeconds: 10 },
      ...common,
    ])
  })
})
