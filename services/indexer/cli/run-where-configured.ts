import type { Command } from 'commander'
import type { JobFinding } from '../../../shared/ports/job-scheduler.js'
import type { Job, JobResult } from '../job.js'
import { jobRunning } from '../wait-for-lock.js'
import type { CommandLine, CommonOptions } from './command-line.js'
import { followRun } from './follow-run.js'
import type { ProgressDisplay } from './progress-display.js'
import { runByHand } from './run-by-hand.js'
import { watchRun } from './watch-run.js'

/** Options of a command that does one run of a job. */
export interface RunOptions extends CommonOptions {
  local?: true
}

/** Adds the options of `RunOptions` that not every command has. */
export const withLocal = (command: Command): Command =>
  command.option('--local', 'do it in this process even where indexers are there to do it')

/** Does one run of a job: in an indexer where the catalog is on servers, else in this process, or if asked to. */
export async function runWhereConfigured(
  job: Job,
  cli: CommandLine,
  options: RunOptions,
  display: ProgressDisplay,
  report: (finding: JobFinding) => void,
): Promise<JobResult> {
  const result =
    cli.withIndexers === null || options.local
      ? await cli.withStores((stores) => runByHand(job, cli, stores, display, report))
      : await cli.withIndexers((jobs) => followRun(job, cli, jobs, display, watchRun(job, display, report)))
  if (result['waitingFor'] !== undefined) {
    throw jobRunning(String(result['waitingFor']))
  }
  return result
}
