import type { Job } from '../job.js'
import type { CommandLine, Outcome } from './command-line.js'
import { type DefinedCommand, defineCommand } from './define-command.js'
import { perSecond, seconds } from './figures.js'
import { openProgress } from './progress-display.js'
import { FindingsDisplay, resultInWords, statusOf } from './run-outcome.js'
import { type RunOptions, runWhereConfigured, withLocal } from './run-where-configured.js'

/**
 * A command that does one run of a job.
 *
 * @param counted the count of its result that a rate is made of; null: none
 */
export function jobCommand(
  job: Job,
  texts: { usage: string; details: string[]; examples: string[]; counted: string | null },
): DefinedCommand {
  const { usage, details, examples, counted } = texts
  return defineCommand<RunOptions>({
    usage,
    summary: job.summary,
    details,
    examples,
    options: withLocal,
    run: (cli, options) => runJobCommand(job, cli, options, counted),
  })
}

/** One run, shown as it goes on, and what it came to. */
export async function runJobCommand(
  job: Job,
  cli: CommandLine,
  options: RunOptions,
  counted: string | null,
): Promise<Outcome> {
  const display = openProgress(cli, options)
  const findings = new FindingsDisplay(display)
  try {
    const startedMs = performance.now()
    const result = await runWhereConfigured(job, cli, options, display, findings.report)
    const elapsedMs = performance.now() - startedMs
    findings.end(result)
    const rate = counted === null ? {} : { recordsPerSecond: perSecond(Number(result[counted] ?? 0), elapsedMs) }
    return {
      status: statusOf(result),
      result: { ...result, ...rate },
      text: `${job.name}: ${resultInWords(result)} (${seconds(elapsedMs)})\n`,
    }
  } finally {
    display.stop()
  }
}
