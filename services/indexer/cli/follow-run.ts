import { once } from 'node:events'
import { operatorError } from '../../../shared/errors.js'
import type { JobWatcher, RemoteJobs } from '../../../shared/ports/job-scheduler.js'
import type { Job, JobResult } from '../job.js'
import type { CommandLine } from './command-line.js'
import type { ProgressDisplay } from './progress-display.js'

/** How often it is looked whether there is still an indexer to do the run. */
const lookEveryMs = 5_000

/**
 * Has an indexer do one run of a job, and follows it to its end. When the command is asked to stop, it stops following;
 * the run goes on.
 *
 * @throws AppError `no_indexer`, `job_failed`, `following_stopped`, or what the jobs' port throws
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
      `No indexer is connected that could do ${job.name}. Start one with npm run start:indexer, or add --local to do ` +
        'it in this process.',
    )
  }
  const looking = tellWhenAlone(job, jobs, display)
  try {
    const run = await Promise.race([jobs.trigger(job.name, watcher), stopped(job, cli.signal)])
    if (run.result === null) {
      throw operatorError('job_failed', `${job.name} failed: ${run.error}`)
    }
    return run.result as JobResult
  } finally {
    clearInterval(looking)
  }
}

async function stopped(job: Job, signal: AbortSignal): Promise<never> {
  if (!signal.aborted) {
    await once(signal, 'abort')
  }
  throw operatorError(
    'following_stopped',
    `${job.name} goes on in the indexer; npm run catalog -- jobs shows how it ends.`,
  )
}

/** A run whose indexers have all gone waits for the next one, without end: its operator should know. */
function tellWhenAlone(job: Job, jobs: RemoteJobs, display: ProgressDisplay): NodeJS.Timeout {
  let alone = false
  return setInterval(async () => {
    // A queue that does not answer is told by the run itself.
    const connected = await jobs.connected().catch(() => null)
    if (connected === 0 && !alone) {
      display.tell(`No indexer is connected any more: ${job.name} waits until one is started.`)
    }
    alone = connected === null ? alone : connected === 0
  }, lookEveryMs)
}
