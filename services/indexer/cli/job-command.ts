import type { Command } from 'commander'
import type { JobFinding } from '../../../shared/ports/job-scheduler.js'
import { formatSeconds, perSecond } from '../../../shared/text/format-numbers.js'
import type { Job, JobResult } from '../runner/job.js'
import { jobResultText } from '../status/describe.js'
import type { CommandLine, CommonOptions, Outcome } from './command-line.js'
import { type DefinedCommand, defineCommand } from './define-command.js'
import { followRun } from './follow-run.js'
import { openProgress, type ProgressDisplay, watchRun } from './output/progress-display.js'
import { FindingsDisplay, statusOf } from './output/run-outcome.js'
import { runInProcess } from './run-in-process.js'

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
  const display = openProgress(cli, options)
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
    ? cli.withStores((stores) => runInProcess(job, cli, stores, display, report))
    : cli.withIndexers((jobs) => followRun(job, cli, jobs, display, watchRun(job, display, report)))
}
