import { once } from 'node:events'
import type { JobWatcher, RemoteJobs } from '../../../shared/ports/job-scheduler.js'
import { operatorError } from '../../../shared/runtime/errors.js'
import type { Job, JobResult } from '../runner/job.js'
import type { CommandLine } from './command-line.js'
import type { ProgressDisplay } from './output/progress-display.js'

/** Milliseconds between two checks that an indexer is connected. */
const checkEveryMs = 5_000

/**
 * Triggers a run in an indexer, and follows it to its end. When the command is stopped, the run continues.
 *
 * @throws AppError `no_indexer`, `job_failed`, `following_stopped`, or as `RemoteJobs`
 */
export async function followRun(
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
