import { setTimeout as sleep } from 'node:timers/promises'
import type { Stores } from '../../../shared/adapters/open.js'
import { AppError } from '../../../shared/errors.js'
import type { JobFinding } from '../../../shared/ports/job-scheduler.js'
import type { Job, JobResult } from '../job.js'
import { runJob } from '../run-job.js'
import type { CommandLine } from './command-line.js'
import type { ProgressDisplay } from './progress-display.js'
import { watchRun } from './watch-run.js'

/** Does one run of a job, the same that the service does by its schedule, and shows how far it has come. */
export async function runByHand(
  job: Job,
  cli: CommandLine,
  { catalog, index, exports, changes }: Stores,
  display: ProgressDisplay,
  report: (finding: JobFinding) => void,
): Promise<JobResult> {
  return runJob(job, {
    catalog,
    index,
    exports,
    changes,
    changesKeptDays: cli.changesKeptDays,
    log: cli.log,
    signal: cli.signal,
    clock: cli.clock,
    watcher: watchRun(job, display, report),
  })
}

/** How often a run that is under way elsewhere is asked after. */
const retryMs = 100

/**
 * As `runByHand`, of a job that another process may have under way: its run may have begun too early to know what this
 * process has written, so that it is waited for.
 *
 * @returns null when it is still under way after `waitMs`
 */
export async function runBehindOthers(
  job: Job,
  cli: CommandLine,
  stores: Stores,
  display: ProgressDisplay,
  report: (finding: JobFinding) => void,
  waitMs: number,
): Promise<JobResult | null> {
  const deadline = performance.now() + waitMs
  let told = false
  for (;;) {
    try {
      return await runByHand(job, cli, stores, display, report)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'job_running')) {
        throw error
      }
    }
    if (performance.now() > deadline) {
      return null
    }
    if (!told) {
      display.tell(`Another process is running ${job.name} on this catalog: waiting for it.`)
      told = true
    }
    await sleep(retryMs, undefined, { signal: cli.signal })
  }
}
