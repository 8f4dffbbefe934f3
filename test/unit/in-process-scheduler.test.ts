import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { InProcessScheduler } from '../../shared/adapters/embedded/scheduler/in-process-scheduler.js'
import type { JobRun } from '../../shared/ports/job-scheduler.js'
import { AppError } from '../../shared/runtime/errors.js'
import { afterTest } from '../support/after-test.js'

/** A scheduler that stops with the test. */
function open(...options: ConstructorParameters<typeof InProcessScheduler>) {
  const scheduler = new InProcessScheduler(...options)
  afterTest(() => scheduler.stop(0))
  return scheduler
}

describe('InProcessScheduler', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: new Date('2026-01-01T00:00:00.250Z') })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  test('a job that ran in an earlier process is due after its interval, not at once', async () => {
    const scheduler = open({ lastRun: async () => aRun('2025-12-31T23:59:00.000Z') })
    const runs = countedRuns()

    await scheduler.start([{ name: 'stats', everySeconds: 300 }], runs.run)
    await seconds(235)
    expect(runs.count).toBe(0)
    await seconds(10)
    expect(runs.count).toBe(1)
  })

  test.each([
    ['is overdue', aRun('2025-12-31T22:00:00.000Z')],
    ['failed', aRun('2025-12-31T23:59:59.000Z', 'failed')],
    ['has a time in the future', aRun('2027-01-01T00:00:00.000Z')],
  ])('a job whose last run %s runs at once', async (_what, lastRun) => {
    const scheduler = open({ lastRun: async () => lastRun })
    const runs = countedRuns()

    await scheduler.start([{ name: 'exports', everySeconds: 3_600 }], runs.run)

    expect(runs.count).toBe(1)
  })

  test('failures increase the pause up to a minute; a success resets it', async () => {
    const scheduler = open({ random: () => 0.999 })
    const startedAt: number[] = []
    let broken = true

    await scheduler.start([{ name: 'sync', everySeconds: 2 }], async () => {
      startedAt.push(Math.round((Date.now() - Date.parse('2026-01-01T00:00:00Z')) / 1_000))
      if (broken) {
        throw new Error('the index is unavailable')
      }
      return {}
    })
    await seconds(250)
    const gaps = startedAt.slice(1).map((at, index) => at - Number(startedAt[index]))
    broken = false
    await seconds(64)
    const failed = startedAt.length
    await seconds(10)

    expect(gaps).toEqual([2, 4, 8, 16, 32, 60, 60, 60])
    expect(startedAt.length).toBe(failed + 5)
  })

  test('failures of a full disk are tried again every three seconds: there may be room at any moment', async () => {
    const scheduler = open({ random: () => 0.999 })
    const startedAt: number[] = []

    await scheduler.start([{ name: 'exports', everySeconds: 3_600 }], async () => {
      startedAt.push(Math.round((Date.now() - Date.parse('2026-01-01T00:00:00Z')) / 1_000))
      throw new AppError(500, 'disk_full', 'There is no room left.')
    })
    await seconds(19)

    const gaps = startedAt.slice(1).map((at, index) => at - Number(startedAt[index]))
    expect(gaps).toEqual([2, 3, 3, 3, 3, 3])
  })

  test('jobs that failed together are not retried in the same second', async () => {
    const chances = [0, 0.9]
    const scheduler = open({ random: () => chances.shift() ?? 0 })
    const later: string[] = []

    await scheduler.start(
      [
        { name: 'one', everySeconds: 300 },
        { name: 'two', everySeconds: 300 },
      ],
      async (name) => {
        later.push(`${name} ${new Date().toISOString().slice(17, 19)}`)
        if (later.length <= 2) {
          throw new Error('away')
        }
        return {}
      },
    )
    await seconds(10)

    expect(later).toEqual(['one 00', 'two 00', 'one 01', 'two 02'])
  })

  test.each([
    ['an hour back', '2025-12-31T23:00:00.000Z'],
    ['a year forward', '2027-01-01T00:00:00.000Z'],
  ])('a wall clock set %s does not affect the schedule', async (_what, time) => {
    const scheduler = open()
    const runs = countedRuns()
    await scheduler.start([{ name: 'stats', everySeconds: 60 }], runs.run)

    jest.setSystemTime(new Date(time))
    await seconds(185)

    expect(runs.count).toBe(4)
  })

  test('a failed run by hand is not retried', async () => {
    const scheduler = open()
    const runs = countedRuns(() => {
      throw new Error('no')
    })
    await scheduler.start([{ name: 'rebuild', everySeconds: null }], runs.run)

    await scheduler.trigger('rebuild')
    await seconds(300)

    expect(runs.count).toBe(1)
  })

  test('no job runs after the stop', async () => {
    const scheduler = open()
    const runs = countedRuns()
    await scheduler.start([{ name: 'sync', everySeconds: 2 }], runs.run)

    await scheduler.stop(0)
    await seconds(60)

    expect(runs.count).toBe(1)
    expect(await scheduler.trigger('sync')).toMatchObject({ outcome: 'failed' })
    expect(runs.count).toBe(1)
    expect(await scheduler.status()).toMatchObject([{ nextRunAt: null }])
  })
})

const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1_000)

function aRun(startedAt: string, outcome: JobRun['outcome'] = 'succeeded'): JobRun {
  return { startedAt, endedAt: startedAt, outcome, result: null, error: null }
}

function countedRuns(body: () => void = () => undefined) {
  const counted = {
    count: 0,
    run: async () => {
      counted.count += 1
      body()
      return {}
    },
  }
  return counted
}
