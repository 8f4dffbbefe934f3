import { setTimeout as sleep } from 'node:timers/promises'
import { openRateLimiter, openScheduler, openStores } from '../../shared/adapters/open.js'
import { openOperations } from '../../shared/operations.js'
import type { JobRun, JobScheduler } from '../../shared/ports/job-scheduler.js'
import type { ServiceStart } from '../../shared/run-service.js'
import { stateKeys } from '../../shared/state-keys.js'
import { computeStats } from '../indexer/jobs/compute-stats.js'
import { logChanges } from '../indexer/jobs/log-changes.js'
import { rebuildIndex } from '../indexer/jobs/rebuild-index.js'
import { syncSkills } from '../indexer/jobs/sync-skills.js'
import { writeExports } from '../indexer/jobs/write-exports.js'
import { jobs, schedules } from '../indexer/jobs.js'
import { JobMetrics } from '../indexer/metrics.js'
import { type EndedRun, type RunJobDeps, runJob, scheduledRun } from '../indexer/run-job.js'
import { createApp } from '../query/app.js'
import { startServer } from '../query/server.js'
import { claimCatalog } from './claim-catalog.js'
import type { StandaloneConfig } from './config.js'
import { greeting } from './greeting.js'
import { loadSample } from './load-sample.js'

/** For how long requests under way may take to end when the service closes. */
const requestGraceMs = 4_000

/** For how long jobs under way may take to come to a point where they can stop. */
const jobGraceMs = 4_000

/** For so long a greeting on a terminal waits for the jobs that are due at the start. */
const firstRunsMs = 2_000

const clock = () => new Date()

/**
 * Brings up both services on one catalog.
 *
 * A catalog that is there already is served first and brought up to date then, however big it is; only the sample is
 * made whole before anyone can ask for it.
 *
 * @returns what to tell the operator
 */
export async function start(config: StandaloneConfig, { log, closing, signal }: ServiceStart): Promise<string> {
  const { dataDir } = config.shared
  const operations = await openOperations(config.operations)
  closing.push({ name: 'operations', close: () => operations.close() })
  const stores = await openStores(config.shared, { threads: true, writes: true, patienceMs: 0, log })
  closing.push({ name: 'stores', close: () => stores.close() })
  const claim = await claimCatalog(stores.catalog, dataDir, clock)
  closing.push({ name: 'claim', close: () => claim.release() })
  const { catalog, index, exports, changes } = stores
  const { changesKeptDays } = config.indexer
  const jobDeps = { catalog, index, exports, changes, changesKeptDays, log, clock }

  const sampleLoaded = config.indexer.sampleCatalog && (await loadSample(catalog))
  if (sampleLoaded) {
    await makeWhole({ ...jobDeps, signal })
  }

  const scheduler = await openScheduler(config.shared, {
    log,
    lastRun: (name) => catalog.readState<JobRun>(stateKeys.job(name)),
  })
  const rateLimiter = await openRateLimiter(config.shared, log)
  // Asked before the schedule began, it is none the worse: what was never written is written at once then.
  const requestExport = () => void scheduler.trigger(writeExports.name).catch(() => undefined)
  const app = createApp({ config: config.query, ...stores, rateLimiter, log, operations, requestExport })
  signal.throwIfAborted()
  const server = await startServer(app, config.query.host, config.query.port)
  closing.push({ name: 'rate limiter', close: () => rateLimiter.close() })
  closing.push({ name: 'server', close: () => server.close(requestGraceMs) })
  await claim.announce(server.url)

  const names = jobs.map(({ name }) => name)
  const metrics = new JobMetrics({ registry: operations.metrics, jobs: names, catalog, index, scheduler, clock })
  const onEnd = (run: EndedRun) => metrics.ended(run)
  const run = scheduledRun(jobs, { ...jobDeps, onEnd }, (name) => scheduler.trigger(name))
  await scheduler.start(schedules(config.indexer), run)
  closing.push({ name: 'scheduler', close: () => scheduler.stop(jobGraceMs) })
  if ((await catalog.readState(stateKeys.rebuild)) !== null) {
    // Interrupted in an earlier process, perhaps by its end: what it has built already is worth completing.
    void scheduler.trigger(rebuildIndex.name)
  }
  log.info({ url: server.url, metrics: operations.url, dataDir }, 'service started')
  if (process.stdout.isTTY) {
    await untilJobsRest(scheduler)
  }
  return greeting({ stores, url: server.url, dataDir, sampleLoaded })
}

/** On a terminal the greeting comes after the log lines of the first runs, unless they take long. */
async function untilJobsRest(scheduler: JobScheduler): Promise<void> {
  const deadline = performance.now() + firstRunsMs
  while (performance.now() < deadline && (await scheduler.status()).some(({ running }) => running)) {
    await sleep(20)
  }
}

/** Index, statistics and files of a catalog that is new, so that the first request finds everything. */
async function makeWhole(deps: RunJobDeps): Promise<void> {
  for (const job of [syncSkills, logChanges, writeExports, computeStats]) {
    try {
      await runJob(job, deps)
    } catch {
      // Logged by the run; the service can do without for now, and the schedule tries again.
      deps.signal.throwIfAborted()
    }
  }
}
