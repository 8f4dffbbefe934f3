import { setTimeout as sleep } from 'node:timers/promises'
import { openRateLimiter, openScheduler, openStores } from '../../shared/adapters/open.js'
import type { JobRun, JobScheduler } from '../../shared/ports/job-scheduler.js'
import { openOperations } from '../../shared/runtime/operations.js'
import type { ServiceStart } from '../../shared/runtime/run-service.js'
import { stateKeys } from '../../shared/state-keys.js'
import { computeStats } from '../indexer/jobs/compute-stats.js'
import { rebuildIndex } from '../indexer/jobs/rebuild-index.js'
import { syncIndex } from '../indexer/jobs/sync-index.js'
import { writeExports } from '../indexer/jobs/write-exports.js'
import { jobs, schedules } from '../indexer/jobs.js'
import { JobMetrics } from '../indexer/runner/metrics.js'
import { type EndedRun, type RunJobDeps, runJob, scheduledRun } from '../indexer/runner/run-job.js'
import { createApp } from '../query/app.js'
import { startServer } from '../query/http/server.js'
import { claimCatalog } from './claim-catalog.js'
import type { StandaloneConfig } from './config.js'
import { greeting } from './greeting.js'
import { loadSample } from './load-sample.js'

/** How long running requests may take to finish on shutdown. */
const requestGraceMs = 4_000

/** How long running jobs may take to reach a point where they can stop. */
const jobGraceMs = 4_000

/** How long the greeting on a terminal waits for the jobs that are due at the start. */
const firstRunsMs = 2_000

const clock = () => new Date()

/**
 * Starts both services on one catalog.
 *
 * An existing catalog of any size is served at once and brought up to date afterwards; a new one gets the sample
 * before the first request.
 *
 * @returns the greeting
 */
export async function start(config: StandaloneConfig, { log, closing, signal }: ServiceStart): Promise<string> {
  const { dataDir } = config.shared
  const operations = await openOperations(config.operations)
  closing.push({ name: 'operations', close: () => operations.close() })
  const stores = await openStores(config.shared, { threads: true, writes: true, startTimeoutMs: 0, log })
  closing.push({ name: 'stores', close: () => stores.close() })
  const claim = await claimCatalog(stores.catalog, dataDir, clock)
  closing.push({ name: 'claim', close: () => claim.release() })
  const { catalog, changes, ingest, index, exports, embedder } = stores
  const { changesKeptDays } = config.indexer
  const jobDeps = { catalog, changes, ingest, index, exports, embedder, changesKeptDays, log, clock }

  const sampleLoaded = config.indexer.sampleCatalog && (await loadSample(catalog))
  if (sampleLoaded) {
    await makeWhole({ ...jobDeps, signal })
  }

  const scheduler = await openScheduler(config.shared, {
    log,
    lastRun: (name) => catalog.readState<JobRun>(stateKeys.job(name)),
  })
  const rateLimiter = await openRateLimiter(config.shared, log)
  // Called before the schedule starts, this does nothing: export files that are missing are written by the first run.
  const requestExport = () => void scheduler.trigger(writeExports.name).catch(() => undefined)
  const app = createApp({ config: config.query, ...stores, rateLimiter, log, operations, requestExport })
  signal.throwIfAborted()
  const server = await startServer(app, config.query.host, config.query.port)
  closing.push({ name: 'rate limiter', close: () => rateLimiter.close() })
  closing.push({ name: 'server', close: () => server.close(requestGraceMs) })
  await claim.announce(server.url)

  const names = jobs.embedded.map(({ name }) => name)
  const metrics = new JobMetrics({
    registry: operations.metrics,
    jobs: names,
    syncJob: syncIndex.name,
    catalog,
    index,
    scheduler,
    clock,
  })
  const onEnd = (run: EndedRun) => metrics.ended(run)
  const run = scheduledRun(jobs.embedded, { ...jobDeps, onEnd }, (name) => scheduler.trigger(name))
  await scheduler.start(schedules('embedded', config.indexer), run)
  closing.push({ name: 'scheduler', close: () => scheduler.stop(jobGraceMs) })
  if ((await catalog.readState(stateKeys.rebuild)) !== null) {
    // The rebuild was interrupted in an earlier process: it continues with what that one built.
    void scheduler.trigger(rebuildIndex.name)
  }
  log.info({ url: server.url, metrics: operations.url, dataDir }, 'service started')
  if (process.stdout.isTTY) {
    await untilJobsRest(scheduler)
  }
  return greeting({ stores, url: server.url, dataDir, sampleLoaded })
}

/** On a terminal the greeting follows the log lines of the first runs, unless they take long. */
async function untilJobsRest(scheduler: JobScheduler): Promise<void> {
  const deadline = performance.now() + firstRunsMs
  while (performance.now() < deadline && (await scheduler.status()).some(({ running }) => running)) {
    await sleep(20)
  }
}

/** Builds index, statistics and export files of a new catalog, so that the first request finds all data. */
async function makeWhole(deps: RunJobDeps): Promise<void> {
  for (const job of [syncIndex, writeExports, computeStats]) {
    try {
      await runJob(job, deps)
    } catch {
      // The run has logged the error; the service works without its result, and the schedule retries.
      deps.signal.throwIfAborted()
    }
  }
}
