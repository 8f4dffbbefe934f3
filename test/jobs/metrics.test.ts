import { expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { syncIndex } from '../../services/indexer/jobs/sync-index.js'
import type { Job } from '../../services/indexer/runner/job.js'
import { countRuns, registerJobMetrics } from '../../services/indexer/runner/metrics.js'
import { scheduledRun } from '../../services/indexer/runner/run-job.js'
import { InProcessScheduler } from '../../shared/adapters/embedded/scheduler/in-process-scheduler.js'
import { aLock } from '../support/a-lock.js'
import { afterTest } from '../support/after-test.js'
import { aSkill } from '../support/factories.js'
import { openJobBench } from '../support/job-bench.js'
import { silentLog } from '../support/test-log.js'
import { withOverrides } from '../support/with-overrides.js'

const failing: Job = {
  name: 'failing',
  summary: 'fails',
  everySeconds: null,
  run: () => Promise.reject(new Error('as always')),
}

/** A bench whose jobs are run by a scheduler, and the metrics of both. */
async function aWatchedBench({ addresses = [] }: { addresses?: string[] } = {}) {
  const bench = await openJobBench()
  const { catalog, index, changes } = bench
  const servers = addresses.flatMap((address) => bench.replicas.map((replica) => withOverrides(replica, { address })))
  const replicas = servers.length > 0 ? servers : bench.replicas
  const clock = { nowMs: Date.parse('2026-01-01T00:00:00Z'), lost: false }
  const now = () => new Date(clock.nowMs)
  const gone = () => Promise.reject(new Error('gone'))
  const registry = new Registry()
  const jobs = [syncIndex, failing]
  const scheduler = new InProcessScheduler()
  afterTest(() => scheduler.stop(1_000))
  registerJobMetrics({
    registry,
    jobs: jobs.map(({ name }) => name),
    catalog: withOverrides(catalog, {
      readState: (key) => (clock.lost ? gone() : catalog.readState(key)),
      listDeadLetters: (afterId, limit) => (clock.lost ? gone() : catalog.listDeadLetters(afterId, limit)),
    }),
    changes,
    replicas,
    index: withOverrides(index, { status: () => (clock.lost ? gone() : index.status()) }),
    syncJob: syncIndex.name,
    scheduler: { status: () => (clock.lost ? gone() : scheduler.status()) },
    clock: now,
  })
  const deps = { ...bench, changesKeptDays: 90, log: silentLog(), clock: now }
  const run = scheduledRun(jobs, { ...deps, onEnd: countRuns(registry) }, scheduler)
  await scheduler.start(
    jobs.map(({ name }) => ({ name, everySeconds: null })),
    run,
  )
  return { catalog, scheduler, clock, scrape: () => registry.metrics() }
}

test('runs are counted by job and outcome, with their durations', async () => {
  const { scheduler, scrape } = await aWatchedBench()

  await scheduler.trigger(syncIndex.name)
  await scheduler.trigger(failing.name)
  await scheduler.trigger(failing.name)

  const text = await scrape()
  expect(text).toContain('catalog_job_runs_total{job="sync-index",outcome="succeeded"} 1\n')
  expect(text).toContain('catalog_job_runs_total{job="failing",outcome="failed"} 2\n')
  expect(text).toContain('catalog_job_duration_seconds_count{job="failing"} 2\n')
})

test('the last success, the lag of the index and its size are the same in every process', async () => {
  const { catalog, scheduler, clock, scrape } = await aWatchedBench()
  await catalog.put('skills', [aSkill(), aSkill()])
  expect(await scrape()).toContain('catalog_index_lag_seconds Nan\n')

  await scheduler.trigger(syncIndex.name)
  await scheduler.trigger(failing.name)
  clock.nowMs += 90_000

  const text = await scrape()
  expect(text).toContain(`catalog_job_last_success_timestamp_seconds{job="sync-index"} ${clock.nowMs / 1_000 - 90}\n`)
  expect(text).not.toContain('catalog_job_last_success_timestamp_seconds{job="failing"}')
  expect(text).toContain('catalog_index_lag_seconds 90\n')
  expect(text).toContain('catalog_index_documents 2\n')
})

test('of several servers of the index each one is up, and lacks the changes after its position', async () => {
  const addresses = ['http://first', 'http://second']
  const { catalog, scrape } = await aWatchedBench({ addresses })
  await catalog.put('skills', [aSkill({ repo: 'a' }), aSkill({ repo: 'b' }), aSkill({ repo: 'c' })])

  const text = await scrape()
  for (const server of addresses) {
    expect(text).toContain(`catalog_index_server_up{server="${server}"} 1\n`)
    expect(text).toContain(`catalog_index_server_lag_changes{server="${server}"} 3\n`)
  }
})

test('dead letters are counted', async () => {
  const { catalog, scrape } = await aWatchedBench()
  expect(await scrape()).toContain('catalog_dead_letters 0\n')

  const letter = { reason: 'owner: is missing', since: '2026-01-01T00:00:00.000Z', source: 'document' } as const
  await catalog.keepDeadLetters(
    [
      { id: 'a/a', ...letter },
      { id: 'b/b', ...letter },
    ],
    aLock(),
  )

  expect(await scrape()).toContain('catalog_dead_letters 2\n')
})

test('unreadable values are omitted; the others are reported', async () => {
  const { scheduler, clock, scrape } = await aWatchedBench()
  await scheduler.trigger(syncIndex.name)
  await scrape()

  clock.lost = true

  const text = await scrape()
  expect(text).toContain('catalog_job_runs_total{job="sync-index",outcome="succeeded"} 1\n')
  expect(text).toContain('catalog_index_documents Nan\n')
  expect(text).toContain('catalog_dead_letters Nan\n')
  expect(text).not.toContain('catalog_job_last_success_timestamp_seconds{')
  expect(text).not.toContain('catalog_job_queue_depth{')
})
