import { once } from 'node:events'
import type { Command } from 'commander'
import type { Stores } from '../../../shared/adapters/stores.js'
import type { JobFinding, JobWatcher, RemoteJobs } from '../../../shared/ports/job-scheduler.js'
import { AppError, operatorError } from '../../../shared/runtime/errors.js'
import { formatResult, formatSeconds, perSecond } from '../../../shared/text/format-numbers.js'
import { computeStats, firstRecordJobs } from '../jobs/compute-stats.js'
import { ingest } from '../jobs/ingest.js'
import { syncIndex } from '../jobs/sync-index.js'
import { writeExports } from '../jobs/write-exports.js'
import { jobs } from '../jobs.js'
import { didNothing, type Job, type JobResult } from '../runner/job.js'
import { jobResultText } from '../status/describe.js'
import type { CommandLine, CommonOptions, Outcome } from './command-line.js'
import { type DefinedCommand, defineCommand } from './define-command.js'
import { openProgress, type ProgressDisplay, watchRun } from './output/progress-display.js'
import { FindingsDisplay, statusOf } from './output/run-outcome.js'
import { runAfterOthers, runInProcess } from './run-in-process.js'
import { requireKey, runWithKey } from './signed-files.js'

/**
 * The jobs named on the command line, in the order of the job list; all jobs when none is named.
 *
 * @throws AppError `bad_arguments` that lists the valid names
 */
export function chooseJobs({ schedules }: CommandLine, names: string[]): string[] {
  const known = schedules.map(({ name }) => name)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw operatorError('bad_arguments', `There is no job ${unknown.join(', ')}. The jobs are ${known.join(', ')}.`)
  }
  return names.length === 0 ? known : known.filter((name) => names.includes(name))
}

/** Lists the jobs for the completion of a command's operands. `chooseJobs` checks them: each mode has jobs of its own. */
export function withJobNames(command: Command): Command {
  for (const argument of command.registeredArguments) {
    argument.argChoices = jobs.servers.map(({ name }) => name)
  }
  return command
}

/** Options of a command that runs a job. */
export interface RunOptions extends CommonOptions {
  local?: true
}

/** Adds the option of `RunOptions`. */
export const withLocal = (command: Command): Command =>
  command.option('--local', 'run it in this process, not in an indexer')

/**
 * A command that runs a job once.
 *
 * @param texts.rateFields the counts in the job's result for `recordsPerSecond`, of which it has one; empty: no rate
 */
export function jobCommand(
  job: Job,
  texts: { usage: string; details: string[]; examples: string[]; rateFields: string[] },
): DefinedCommand {
  const { usage, details, examples, rateFields } = texts
  return defineCommand<RunOptions>({
    usage,
    summary: job.summary,
    details,
    examples,
    options: withLocal,
    run: (cli, options) => runJobCommand(job, cli, options, rateFields),
  })
}

/** Runs a job once, showing its progress and findings. */
export async function runJobCommand(
  job: Job,
  cli: CommandLine,
  options: RunOptions,
  rateFields: string[],
): Promise<Outcome> {
  const display = await openProgress(cli, options)
  const findings = new FindingsDisplay(display)
  try {
    const startedMs = performance.now()
    const result = await runOnce(job, cli, options, display, findings.report)
    const elapsedMs = performance.now() - startedMs
    findings.end(result)
    const count = rateFields.map((name) => result[name]).find((value) => value !== undefined)
    const rate = count === undefined ? {} : { recordsPerSecond: perSecond(Number(count), elapsedMs) }
    return {
      status: statusOf(result),
      result: { ...result, ...rate },
      text: `${job.name}: ${jobResultText(result)} (${formatSeconds(elapsedMs)})\n`,
    }
  } finally {
    display.stop()
  }
}

/** In an indexer in the servers mode, unless --local is given; else in this process. */
function runOnce(
  job: Job,
  cli: CommandLine,
  options: RunOptions,
  display: ProgressDisplay,
  report: (finding: JobFinding) => void,
): Promise<JobResult> {
  return cli.withIndexers === null || options.local
    ? cli.withStores({}, async (stores) => {
        await requireKey(job, cli, stores)
        return runInProcess(job, cli, stores, display, report)
      })
    : cli.withIndexers((jobs) => followRun(job, cli, jobs, display, watchRun(job, display, report)))
}

/** Milliseconds between two checks that an indexer is connected. */
const checkEveryMs = 5_000

/**
 * Triggers a run in an indexer, and follows it to its end. When the command is stopped, the run continues.
 *
 * @throws AppError `no_indexer`, `job_failed`, `following_stopped`, or as `RemoteJobs`
 */
async function followRun(
  job: Job,
  cli: CommandLine,
  jobs: RemoteJobs,
  display: ProgressDisplay,
  watcher: JobWatcher,
): Promise<JobResult> {
  if ((await jobs.connected()) === 0) {
    throw operatorError(
      'no_indexer',
      `No indexer is connected that could run ${job.name}. Start one with npm run start:indexer, or add --local to run ` +
        'it in this process.',
    )
  }
  const timer = reportMissingIndexers(job, jobs, display)
  try {
    const run = await Promise.race([jobs.trigger(job.name, watcher), stopped(job, cli.signal)])
    if (run.result === null) {
      throw operatorError('job_failed', `${job.name} failed: ${run.error}`)
    }
    return run.result as JobResult
  } finally {
    clearInterval(timer)
  }
}

async function stopped(job: Job, signal: AbortSignal): Promise<never> {
  if (!signal.aborted) {
    await once(signal, 'abort')
  }
  throw operatorError(
    'following_stopped',
    `${job.name} continues in the indexer; npm run catalog -- jobs shows its outcome.`,
  )
}

/** Without an indexer a run waits for ever: the operator must know. */
function reportMissingIndexers(job: Job, jobs: RemoteJobs, display: ProgressDisplay): NodeJS.Timeout {
  let isReported = false
  return setInterval(async () => {
    // When the queue does not answer, the run itself fails.
    const connected = await jobs.connected().catch(() => null)
    if (connected === 0 && !isReported) {
      display.report(`No indexer is connected any more: ${job.name} waits until one is started.`)
    }
    isReported = connected === null ? isReported : connected === 0
  }, checkEveryMs)
}

/** The longest wait for the run of another process. */
const timeoutMs = 30_000

/** Results by job; null when another process is still running that job, and will process the new records too, or will run it. */
export interface UpdateResults {
  sync: JobResult | null
  exports: JobResult | null
  stats: JobResult | null
}

/** Reads the documents that other applications have written; does nothing where there are none. */
export async function readDocuments(cli: CommandLine, stores: Stores, display: ProgressDisplay): Promise<void> {
  if (stores.ingest !== null) {
    await runAfterOthers(ingest, cli, stores, display, timeoutMs)
  }
}

/** Updates search index, export files and statistics after this process has written records. */
export async function bringUpToDate(
  cli: CommandLine,
  stores: Stores,
  display: ProgressDisplay,
): Promise<UpdateResults> {
  const run = (job: Job) => runAfterOthers(job, cli, stores, display, timeoutMs)
  await readDocuments(cli, stores, display)
  const sync = await updateIndex(cli, display, run)
  // The statistics contain the time of the newest export: files first.
  const withKey = (job: Job) => runWithKey(job, cli, stores, display, run)
  const updates = { sync, exports: await withKey(writeExports), stats: await run(computeStats) }
  if (updates.stats?.['firstRecords'] === true) {
    for (const job of firstRecordJobs) {
      await withKey(job)
    }
  }
  return updates
}

/** Null: another process does it. */
async function updateIndex(
  { servers }: CommandLine,
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
    if (servers === null || !(error instanceof AppError && error.code === 'search_unavailable')) {
      throw error
    }
    // The records are written, and files with what was hidden must not wait.
    display.report(
      'Meilisearch is unavailable: when it is up again, an indexer updates the search index, or npm run catalog -- sync.',
    )
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
