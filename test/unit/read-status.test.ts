import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { factsOf } from '../../services/indexer/status/describe.js'
import { readStatus, type StatusSource } from '../../services/indexer/status/read-status.js'
import type { RemoteJobs } from '../../shared/ports/job-scheduler.js'
import { unavailable } from '../../shared/runtime/errors.js'
import { openJobBench } from '../support/job-bench.js'
import { withOverrides } from '../support/with-overrides.js'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

test('a catalog that does not answer is waited for once, and the queue says how its jobs ended', async () => {
  const bench = await openJobBench()
  let [calls, inFlight, most] = [0, 0, 0]
  const lost = async () => {
    calls += 1
    inFlight += 1
    most = Math.max(most, inFlight)
    await sleep(100)
    inFlight -= 1
    throw unavailable('catalog_unavailable', 'The catalog is unavailable.', 5)
  }
  const catalog = withOverrides(bench.catalog, { readState: lost, listSkills: lost, listDeadLetters: lost })
  const changes = withOverrides(bench.changes, { countPublished: lost })
  const lastRun = { startedAt: at(1), endedAt: at(2), outcome: 'succeeded' as const, result: {}, error: null }
  const queued = { name: 'sync-index', everySeconds: 10, running: false, waiting: 0, failed: 0, nextRunAt: null }
  const remote = { connected: async () => 1, status: async () => [{ ...queued, lastRun }] } as unknown as RemoteJobs
  const source: StatusSource = {
    clock: () => new Date(at(9)),
    dataDir: null,
    schedules: [{ name: 'sync-index', everySeconds: 10 }],
    withIndexers: (work) => work(remote),
    pingLimits: null,
  }

  const status = await readStatus(source, { ...bench, catalog, changes })

  expect(most).toBe(calls)
  expect(status).toMatchObject({ indexers: 1, faults: ['The catalog is unavailable.'] })
  expect(status.jobs[0]).toMatchObject({ lastRun: { ...lastRun, lastSucceededAt: at(2) } })
  expect(factsOf(status, source.clock())).toContainEqual(
    expect.objectContaining({ label: 'search index', text: [{ bad: 'unknown' }, ', last sync ', { at: at(2) }] }),
  )
})
