import { once } from 'node:events'
import type { Command } from 'commander'
import type { JobFinding, JobWatcher, RemoteJobs } from '../../../shared/ports/job-scheduler.js'
import { operatorError } from '../../../shared/runtime/errors.js'
import { formatNumber, formatResult, formatSeconds, perSecond } from '../../../shared/text/format-numbers.js'
import { jobs } from '../jobs.js'
import type { Job, JobResult } from '../runner/job.js'
import { losesSignature, runInProcess } from './bring-up-to-date.js'
import type { CommandLine, CommonOptions, ExitStatus, Outcome } from './command-line.js'
import { type DefinedCommand, defineCommand } from './define-command.js'
import { type ProgressDisplay, watchRun, withProgress } from './output/progress-display.js'

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
export function runJobCommand(job: Job, cli: CommandLine, options: RunOptions, rateFields: string[]): Promise<Outcome> {
  return withProgress(cli, options, async (display) => {
    const findings = showFindings(display)
    const startedMs = performance.now()
    const result = await runOnce(job, cli, options, display, findings.report)
    const elapsedMs = performance.now() - startedMs
    findings.end(result)
    const count = rateFields.map((name) => result[name]).find((value) => value !== undefined)
    const rate = count === undefined ? {} : { recordsPerSecond: perSecond(Number(count), elapsedMs) }
    return {
      status: statusOf(result),
      result: { ...result, ...rate },
      text: `${job.name}: ${formatResult(result)} (${formatSeconds(elapsedMs)})\n`,
    }
  })
}

/** Further findings are only counted. */
const maxFindings = 50

/** The counts of a result that make the exit status 1. */
const faultFields = ['rejected', 'missing', 'extra', 'different']

/** Servers of the search index at which a run did not do its work. */
const missedFields = ['unavailable', 'waiting']

const statusOf = (result: JobResult): ExitStatus =>
  faultsIn(result) > 0 || missedFields.some((name) => typeof result[name] === 'string') ? 1 : 0

/** Prints the first findings of a run as they are made, and the number of further ones at its end. */
function showFindings(display: ProgressDisplay) {
  let count = 0
  return {
    report(finding: JobFinding): void {
      count += 1
      if (count <= maxFindings) {
        display.report(describe(finding))
      }
    },
    end(result: JobResult): void {
      // A run in another process sends only its first findings; its result counts all of them.
      const more = Math.max(count, faultsIn(result)) - maxFindings
      if (more > 0) {
        display.report(`… and ${formatNumber(more)} more`)
      }
    },
  }
}

const faultsIn = (result: JobResult): number =>
  faultFields.reduce((sum, name) => sum + Math.max(0, Number(result[name] ?? 0)), 0)

const describe = ({ id, kind, reason }: JobFinding): string => {
  const index = reason === null ? 'the index' : `the index at ${reason}`
  switch (kind) {
    case 'missing':
      return `${id}: in the catalog, but not in ${index}`
    case 'extra':
      return `${id}: in ${index}, but not published in the catalog`
    case 'different':
      return `${id}: in ${index} with different content`
    default:
      return `${id}: cannot be published as it is stored: ${reason}`
  }
}

/**
 * In an indexer in the servers mode, unless --local is given; else in this process.
 *
 * @throws AppError `no_signing_key` where the job would put files without a signature in the place of signed ones
 */
function runOnce(
  job: Job,
  cli: CommandLine,
  options: RunOptions,
  display: ProgressDisplay,
  report: (finding: JobFinding) => void,
): Promise<JobResult> {
  return cli.withIndexers === null || options.local
    ? cli.withStores({}, async (stores) => {
        if (await losesSignature(job, cli, stores)) {
          throw operatorError(
            'no_signing_key',
            'The present files are signed, and this command has no key. Set SIGNING_KEY_FILE as for the service, or let ' +
              'the service write them.',
          )
        }
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
