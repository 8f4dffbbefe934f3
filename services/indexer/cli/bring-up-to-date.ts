import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Stores } from '../../../shared/adapters/stores.js'
import type { JobFinding } from '../../../shared/ports/job-scheduler.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { formatResult } from '../../../shared/text/format-numbers.js'
import { computeStats, firstRecordJobs } from '../jobs/compute-stats.js'
import { ingest } from '../jobs/ingest.js'
import { reconcileLateWrites } from '../jobs/reconcile.js'
import { syncIndex } from '../jobs/sync-index.js'
import { writeDataset } from '../jobs/write-dataset.js'
import { writeExports } from '../jobs/write-exports.js'
import { didNothing, type Job, type JobResult } from '../runner/job.js'
import { runJob } from '../runner/run-job.js'
import type { CommandLine, CommonOptions } from './command-line.js'
import { type ProgressDisplay, watchRun } from './output/progress-display.js'

/** Results by job; null when another process is still running that job, and will process the new records too, or will run it. */
export interface UpdateResults {
  sync: JobResult | null
  exports: JobResult | null
  stats: JobResult | null
}

/** The options of a command that writes records. */
export interface UpdateOptions extends CommonOptions {
  /** False with --no-update. */
  update: boolean
}

/** Adds the option of `UpdateOptions`. */
export const noUpdate = (command: Command): Command =>
  command.option('--no-update', 'leave search index, export files and statistics to the running service')

/** Reads the documents that other applications have written; does nothing where there are none. */
export async function readDocuments(cli: CommandLine, stores: Stores, display: ProgressDisplay): Promise<void> {
  if (stores.ingest !== null) {
    await runAfterOthers(ingest, cli, stores, display)
  }
}

/**
 * Updates search index, export files and statistics after this process has written records.
 *
 * @throws AppError of the job that failed, whose message says that the records are written
 */
export async function bringUpToDate(
  cli: CommandLine,
  stores: Stores,
  display: ProgressDisplay,
): Promise<UpdateResults> {
  try {
    return await updateAll(cli, stores, display)
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error
    }
    const { status, code, message, cause } = error
    const written = `The records are written, but not all that is made from them. ${message}`
    throw new AppError(status, code, `${written} Then run npm run catalog -- sync, and npm run catalog -- export.`, {
      cause,
    })
  }
}

async function updateAll(cli: CommandLine, stores: Stores, display: ProgressDisplay): Promise<UpdateResults> {
  const run = async (job: Job) =>
    (await losesSignature(job, cli, stores))
      ? leaveToServices(job, cli, display)
      : runAfterOthers(job, cli, stores, display)
  await readDocuments(cli, stores, display)
  const sync = await updateIndex(cli, display, run)
  // The statistics contain the time of the newest export: files first.
  const updates = { sync, exports: await run(writeExports), stats: await run(computeStats) }
  if (updates.stats?.['firstRecords'] === true) {
    for (const job of firstRecordJobs) {
      await run(job)
    }
  }
  return updates
}

/** Null: another process does it. */
async function updateIndex(
  { config }: CommandLine,
  display: ProgressDisplay,
  run: (job: Job) => Promise<JobResult | null>,
): Promise<JobResult | null> {
  try {
    const result = await run(syncIndex)
    if (result === null) {
      display.report('Another process is still updating the search index, and will index these records as well.')
    }
    return result
  } catch (error) {
    const isRefused =
      error instanceof AppError && ['search_key_refused', 'index_of_another_catalog'].includes(error.code)
    const isDown = error instanceof AppError && error.code === 'search_unavailable'
    if (config.mode === 'embedded' || !(isRefused || isDown)) {
      throw error
    }
    // The records are written, and files with what was hidden must not wait.
    const then = isRefused ? `${error.message} Then` : 'Meilisearch is unavailable: when it is up again,'
    display.report(`${then} an indexer updates the search index, or npm run catalog -- sync.`)
    return null
  }
}

/**
 * The line about the search index; none without a sync. A running indexer may have indexed the records before this
 * process did: counts of zero would look like a failure, so the line says `up to date`.
 *
 * @param updates null when nothing was updated
 */
export function searchIndexLines(updates: UpdateResults | null): string[] {
  const sync = updates?.sync ?? null
  return sync === null ? [] : [`Search index: ${didNothing(sync) ? 'up to date' : formatResult(sync)}`]
}

/** Runs a job once in this process, showing its progress. */
export const runInProcess = (
  job: Job,
  cli: CommandLine,
  stores: Stores,
  display: ProgressDisplay,
  report: (finding: JobFinding) => void,
): Promise<JobResult> =>
  runJob(job, {
    ...stores,
    changesKeptDays: cli.indexer.changesKeptDays,
    signer: cli.indexer.signer ?? null,
    log: cli.log,
    signal: cli.signal,
    clock: cli.clock,
    watcher: watchRun(job, display, report),
    onTakeover: (lockName) => {
      // Where Redis refuses the connection, the daily run repairs what arrived late.
      cli.withIndexers?.((jobs) => reconcileLateWrites(jobs, lockName)).catch(() => undefined)
    },
  })

/** The longest wait for the run of another process, and the time between two attempts meanwhile. */
const timeoutMs = 30_000
const retryMs = 100

/**
 * As `runInProcess`, after the run of another process: that one may have started too early to process the records of
 * this process. Findings are not reported.
 *
 * @returns null when the other run has not ended in time
 */
async function runAfterOthers(
  job: Job,
  cli: CommandLine,
  stores: Stores,
  display: ProgressDisplay,
): Promise<JobResult | null> {
  const deadlineMs = performance.now() + timeoutMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runInProcess(job, cli, stores, display, () => undefined)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'job_running')) {
        throw error
      }
    }
    if (performance.now() > deadlineMs) {
      return null
    }
    if (attempt === 1) {
      display.report(`Another process is running ${job.name} on this catalog: waiting for it.`)
    }
    await sleep(retryMs, undefined, { signal: cli.signal })
  }
}

/**
 * Whether a job would put files without a signature in the place of signed ones, because this process has no key: clients
 * that check the signature would refuse them.
 */
export async function losesSignature(job: Job, { indexer }: CommandLine, stores: Stores): Promise<boolean> {
  const store = job === writeExports ? stores.exports : job === writeDataset ? stores.datasets : null
  if (store === null || indexer.signer !== undefined) {
    return false
  }
  const [newest] = await store.snapshots()
  return (newest?.manifest?.signature ?? null) !== null
}

/** Leaves a job to the services, which alone have the key: to an indexer at once, where one can be asked. */
async function leaveToServices(job: Job, { withIndexers }: CommandLine, display: ProgressDisplay): Promise<null> {
  const isRequested = await Promise.resolve(withIndexers?.((jobs) => jobs.request(job.name).then(() => true))).catch(
    () => false,
  )
  display.report(
    'The present files are signed, and this command has no key (SIGNING_KEY_FILE): ' +
      (isRequested ? 'an indexer writes the new ones.' : 'the service writes the new ones when they are due.'),
  )
  return null
}
