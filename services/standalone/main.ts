import { setTimeout as sleep } from 'node:timers/promises'
import { findService, openRateLimiter, openReranker, openScheduler, openStores } from '../../shared/adapters/open.js'
import type { JobRun, JobScheduler } from '../../shared/ports/job-scheduler.js'
import { checkPort } from '../../shared/runtime/listen.js'
import { openOperations } from '../../shared/runtime/operations.js'
import { runService, type ServiceStart } from '../../shared/runtime/run-service.js'
import { stateKeys } from '../../shared/state-keys.js'
import { createDesk } from '../indexer/desk/desk.js'
import { computeStats } from '../indexer/jobs/compute-stats.js'
import { resumeRebuilds } from '../indexer/jobs/rebuild-index.js'
import { syncIndex } from '../indexer/jobs/sync-index.js'
import { writeExports } from '../indexer/jobs/write-exports.js'
import { jobs, schedules } from '../indexer/jobs.js'
import { countRuns, registerJobMetrics } from '../indexer/runner/metrics.js'
import { type RunJobDeps, runJob, scheduledRun } from '../indexer/runner/run-job.js'
import { createApp } from '../query/app.js'
import { startServer } from '../query/request/server.js'
import { readStandaloneConfig, requestGraceMs, type StandaloneConfig, searchThreads } from './config.js'
import { claimCatalog, greeting, loadSample, serviceRunning } from './greeting.js'

/** How long running jobs may take to reach a point where they can stop. */
const jobGraceMs = 4_000

/** How long the greeting on a terminal waits for the jobs that are due at the start. */
const firstRunsMs = 2_000

const clock = () => new Date()

// Both services in one process, started by `npm start`.
runService(readStandaloneConfig, start)

/**
 * Starts both services on one catalog. The event loop of this process answers requests; threads run searches and jobs.
 *
 * An existing catalog of any size is served at once and brought up to date afterwards; a new one gets the sample
 * before the first request.
 *
 * @returns the greeting
 */
async function start(config: StandaloneConfig, { log, closing, signal }: ServiceStart): Promise<string> {
  const { dataDir } = config.shared
  // A port may be taken by the service on this folder: then that is the better message.
  const orRunning = async (error: unknown): Promise<never> => {
    const running = await findService(dataDir)
    throw running === null ? error : serviceRunning(dataDir, running)
  }
  const operations = await openOperations(config.operations).catch(orRunning)
  closing.push({ name: 'operations', close: () => operations.close() })
  await checkPort({ host: config.query.host, port: config.query.port, variable: 'PORT' }).catch(orRunning)
  const stores = await openStores(config.shared, {
    threads: true,
    searchThreads: searchThreads(),
    writes: true,
    awaitsSample: config.indexer.sampleCatalog,
    startTimeoutMs: 0,
    log,
  })
  closing.push({ name: 'stores', close: () => stores.close() })
  const claim = await claimCatalog(stores.catalog, dataDir, clock)
  closing.push({ name: 'claim', close: () => claim.release() })
  const { catalog } = stores
  const { changesKeptDays, signer = null } = config.indexer
  const jobDeps = { ...stores, changesKeptDays, signer, log, clock }

  const sampleLoaded = config.indexer.sampleCatalog && (await loadSample(catalog, config.shared.skillText))
  if (sampleLoaded) {
    await makeWhole({ ...jobDeps, signal })
  }

  const scheduler = await openScheduler(config.shared, {
    log,
    lastRun: (name) => catalog.readState<JobRun>(stateKeys.job(name)),
  })
  const rateLimiter = await openRateLimiter(config.shared, log)
  // Called before the schedule starts, this does nothing: export files that are missing are written by the first run.
  const requestExport = () => void scheduler.request(writeExports.name).catch(() => undefined)
  closing.push({ name: 'rate limiter', close: () => rateLimiter.close() })
  const { query } = config
  const app = createApp({
    ...stores,
    config: query,
    reranker: await openReranker(query.reranker),
    rateLimiter,
    log,
    operations,
    requestExport,
  })
  const server = await startServer(app, query.host, query.port)
  closing.push({ name: 'server', close: () => server.close(requestGraceMs) })
  signal.throwIfAborted()
  await claim.announce(server.url)

  const names = jobs.embedded.map(({ name }) => name)
  const onEnd = countRuns(operations.metrics)
  registerJobMetrics({
    registry: operations.metrics,
    ...stores,
    jobs: names,
    syncJob: syncIndex.name,
    scheduler,
    dataDir,
    clock,
  })
  const run = scheduledRun(jobs.embedded, { ...jobDeps, onEnd }, scheduler)
  const table = schedules('embedded', config.indexer)
  await scheduler.start(table, run)
  closing.push({ name: 'scheduler', close: () => scheduler.stop(jobGraceMs) })
  operations.serve((url) =>
    createDesk({
      url,
      token: config.operations.token,
      stores,
      source: { clock, dataDir, schedules: table, withIndexers: null, pingLimits: null },
      jobs: jobs.embedded,
      scheduler,
      openQueueBoard: null,
      log,
    }),
  )
  void resumeRebuilds(stores, scheduler)
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
