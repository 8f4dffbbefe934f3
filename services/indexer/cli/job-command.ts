import type { JobFinding } from '../../../shared/ports/job-scheduler.js'
import type { Job, JobResult } from '../job.js'
import { jobRunning } from '../wait-for-lock.js'
import type { CommandLine, CommonOptions, Outcome } from './command-line.js'
import { type DefinedCommand, defineCommand } from './define-command.js'
import { figure, inWords, perSecond, seconds } from './figures.js'
import { openProgress } from './progress-display.js'
import { runByHand } from './run-by-hand.js'

/** How many findings are told one by one. */
const mostFindings = 50

/** Counts of a result that mean: done, but not everything is as it should be. */
const faults = ['rejected', 'missing', 'extra', 'different']

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
  return defineCommand<CommonOptions>({
    usage,
    summary: job.summary,
    details,
    examples,
    run: (cli, options) => runJobCommand(job, cli, options, counted),
  })
}

async function runJobCommand(
  job: Job,
  cli: CommandLine,
  options: CommonOptions,
  counted: string | null,
): Promise<Outcome> {
  const display = openProgress(cli, options)
  let findings = 0
  const report = (finding: JobFinding): void => {
    findings += 1
    if (findings <= mostFindings) {
      display.tell(describe(finding))
    }
  }
  try {
    const startedMs = performance.now()
    const result = await cli.withStores((stores) => runByHand(job, cli, stores, display, report))
    const elapsedMs = performance.now() - startedMs
    if (findings > mostFindings) {
      display.tell(`… and ${figure(findings - mostFindings)} more`)
    }
    const rate = counted === null ? {} : { recordsPerSecond: perSecond(Number(result[counted] ?? 0), elapsedMs) }
    if (result['waitingFor'] !== undefined) {
      throw jobRunning(String(result['waitingFor']))
    }
    const ok = faults.every((name) => !(Number(result[name] ?? 0) > 0))
    return {
      status: ok ? 0 : 1,
      result: { ...result, ...rate },
      text: `${job.name}: ${inWords(told(result))} (${seconds(elapsedMs)})\n`,
    }
  } finally {
    display.stop()
  }
}

const told = (result: JobResult): JobResult =>
  Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null))

const describe = ({ id, kind, reason }: JobFinding): string => {
  switch (kind) {
    case 'missing':
      return `${id}: in the catalog, but not in the index`
    case 'extra':
      return `${id}: in the index, but not published in the catalog`
    case 'different':
      return `${id}: in the index with other content`
    default:
      return `${id}: cannot be published as it is stored: ${reason}`
  }
}
