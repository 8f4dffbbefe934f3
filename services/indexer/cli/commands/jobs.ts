import type { Command } from 'commander'
import { AppError } from '../../../../shared/runtime/errors.js'
import { printableLine, shorten } from '../../../../shared/text/clean-text.js'
import { retryDeadLetters } from '../../jobs/retry-dead-letters.js'
import { jobs as allJobs } from '../../jobs.js'
import { pauseJobs, readPausedJobs, resumeJobs } from '../../runner/job.js'
import { intervalText, nextText, outcomeText, runnersLine } from '../../status/describe.js'
import { type JobRow, readJobs } from '../../status/read-status.js'
import type { CommandLine, CommonOptions, ExitStatus, Outcome } from '../command-line.js'
import { countFromOne, defineCommand } from '../define-command.js'
import { chooseJobs, type RunOptions, runJobCommand, withJobNames, withLocal } from '../job-command.js'
import { formatMoment, type Screen, screenOf, textTable } from '../output/screen.js'

/** Longer ids are shortened in the table: a single one would widen the column. */
const maxIdCharacters = 80

interface DeadLettersOptions extends RunOptions {
  limit: number
  retry?: true
}

const jobsDeadLetters = defineCommand<DeadLettersOptions>({
  usage: 'dead-letters',
  summary: 'list the skills that could not be indexed, with the reason, or retry them',
  details: [
    'A skill whose document is corrected is indexed by the next sync and leaves the list. --retry is for skills that ' +
      'failed for another reason; the exit status is 1 when some of them fail again.',
  ],
  examples: ['jobs dead-letters', 'jobs dead-letters --limit 1000 --json', 'jobs dead-letters --retry'],
  options: addOptions,
  run: (cli, options) => (options.retry ? runJobCommand(retryDeadLetters, cli, options, []) : list(cli, options)),
})

function addOptions(command: Command): Command {
  command
    .option('--limit <count>', 'maximum number of skills to list', countFromOne, 100)
    .option('--retry', 'retry all of them instead of listing them')
  return withLocal(command)
}

function list(cli: CommandLine, { limit }: DeadLettersOptions): Promise<Outcome> {
  const screen = screenOf(cli.stdout)
  return cli.withCatalog(async (catalog) => {
    const found = await catalog.listDeadLetters(null, limit + 1)
    const deadLetters = found.slice(0, limit)
    const more = found.length > limit
    const rows = deadLetters.map(({ id, since, reason }) => [
      printableLine(shorten(id, maxIdCharacters)),
      formatMoment(since, cli.clock(), screen),
      printableLine(reason),
    ])
    const text =
      rows.length === 0
        ? 'There are no dead letters.\n'
        : `${textTable([['record', 'since', 'reason'], ...rows], screen, 2)}\n`
    return {
      status: 0,
      result: { deadLetters, more },
      text: more ? `${text}… and more: raise --limit to list them.\n` : text,
    }
  })
}

const jobsRun = defineCommand<RunOptions>({
  usage: 'run <job...>',
  summary: 'run the named jobs now, also those whose schedule is paused',
  details: ['They run one after the other, in the order of their list. The exit status is 2 when one of them fails.'],
  examples: ['jobs run record-history', 'jobs run divide-sitemap --json'],
  options: (command) => withJobNames(withLocal(command)),
  run: (cli, options, names) => runJobs(cli, options, chooseJobs(cli, names)),
})

const jobsRetry = defineCommand<RunOptions>({
  usage: 'retry [job...]',
  summary: 'run all jobs again whose last run failed, or the named ones among them',
  details: [
    'They run one after the other, in the order of their list. The exit status is 2 when one of them fails again.',
  ],
  examples: ['jobs retry', 'jobs retry write-exports --json'],
  options: (command) => withJobNames(withLocal(command)),
  async run(cli, options, names) {
    const failed = await failedJobs(cli, chooseJobs(cli, names))
    return failed.length > 0
      ? runJobs(cli, options, failed)
      : { status: 0, result: { runs: [] }, text: 'Nothing to do: the last run of no job has failed.\n' }
  },
})

async function runJobs(cli: CommandLine, options: RunOptions, names: string[]): Promise<Outcome> {
  const runs: Record<string, unknown>[] = []
  const texts: string[] = []
  let worst: ExitStatus = 0
  for (const job of allJobs.servers.filter(({ name }) => names.includes(name))) {
    try {
      const { status, result, text } = await runJobCommand(job, cli, options, [])
      runs.push({ job: job.name, status, ...result })
      texts.push(text)
      worst = status > worst ? status : worst
    } catch (error) {
      if (!(error instanceof AppError) || fatalCodes.includes(error.code)) {
        throw error
      }
      runs.push({ job: job.name, status: 2, error: { code: error.code, message: error.message } })
      texts.push(`${error.message}\n`)
      worst = 2
    }
  }
  return { status: worst, result: { runs }, text: texts.join('') }
}

/** Errors with which every further job would fail as well. */
const fatalCodes = ['no_indexer', 'jobs_unavailable', 'following_stopped', 'stopped']

const failedJobs = (cli: CommandLine, names: string[]): Promise<string[]> =>
  cli.withCatalog(async (catalog) => {
    const { jobs: rows } = await readJobs(cli, catalog)
    return rows.flatMap(({ name, lastRun }) => (names.includes(name) && lastRun?.outcome === 'failed' ? [name] : []))
  })

const jobsPause = defineCommand<CommonOptions>({
  usage: 'pause [job...]',
  summary: 'stop the schedules of all jobs, or of the named ones, until they are resumed',
  details: [
    'A run in progress is completed. A paused job can still be run by its command, or by jobs run. The catalog stores which jobs are ' +
      'paused, so that they stay paused after a restart.',
  ],
  examples: ['jobs pause', 'jobs pause sync-index write-exports'],
  options: withJobNames,
  run: (cli, _options, names) => {
    const chosen = chooseJobs(cli, names.length === 0 ? scheduledJobs(cli) : names)
    return cli.withCatalog(async (catalog) => {
      const paused = await pauseJobs(catalog, chosen)
      return { status: 0, result: { paused }, text: `Paused: ${paused.join(', ')}\n` }
    })
  },
})

const scheduledJobs = ({ schedules }: CommandLine): string[] =>
  schedules.filter(({ everySeconds }) => everySeconds !== null).map(({ name }) => name)

const jobsResume = defineCommand<CommonOptions>({
  usage: 'resume [job...]',
  summary: 'restart the schedules of all paused jobs, or of the named ones',
  details: ['Each job runs at the next time of its schedule.'],
  examples: ['jobs resume', 'jobs resume sync-index'],
  options: withJobNames,
  run: (cli, _options, names) => {
    const chosen = names.length === 0 ? null : chooseJobs(cli, names)
    return cli.withCatalog(async (catalog) => {
      // Without names, every stored pause ends, also of jobs that only earlier versions have.
      const { resumed, paused } = await resumeJobs(catalog, chosen ?? (await readPausedJobs(catalog)))
      const lines = [
        resumed.length > 0 ? `Resumed: ${resumed.join(', ')}` : nothingResumed(names),
        ...(paused.length > 0 ? [`Still paused: ${paused.join(', ')}`] : []),
      ]
      return { status: 0, result: { resumed, paused }, text: `${lines.join('\n')}\n` }
    })
  },
})

const nothingResumed = (names: string[]): string =>
  names.length === 0 ? 'No job was paused.' : `Not paused: ${names.join(', ')}`

/** `jobs`: lists the jobs with their schedules and last runs. */
export const jobs = defineCommand<CommonOptions>({
  usage: 'jobs',
  summary: 'list the jobs with their intervals, last runs and next runs',
  details: [],
  examples: ['jobs', 'jobs --json', 'jobs run record-history', 'jobs retry', 'jobs pause sync-index'],
  run: (cli) =>
    cli.withCatalog(async (catalog) => {
      const report = await readJobs(cli, catalog)
      const screen = screenOf(cli.stdout)
      const table = jobTable(report.jobs, screen, cli.clock())
      const { faults } = report
      return {
        status: faults.length === 0 ? 0 : 2,
        result: { ...report },
        text: `${table}\n${screen.wrap(runnersLine(report))}\n`,
        ...(faults.length === 0 ? {} : { warning: `Not all could be read. ${faults.join(' ')}` }),
      }
    }),
  subcommands: [jobsRun, jobsRetry, jobsDeadLetters, jobsPause, jobsResume],
})

/** The jobs as a table, in the servers mode with the columns of the queue. */
export function jobTable(rows: JobRow[], screen: Screen, now: Date): string {
  const queued = rows.some(({ waiting }) => waiting !== null)
  const head = ['job', 'every', 'last run', 'outcome', 'last success', 'next run']
  const moment = (iso: string) => formatMoment(iso, now, screen)
  const cells = rows.map((row) => [
    row.name,
    intervalText(row.everySeconds),
    row.runningSince === null ? moment(row.lastRun?.startedAt ?? 'never') : `running since ${moment(row.runningSince)}`,
    row.lastRun?.error ? screen.style('red', printableLine(outcomeText(row))) : printableLine(outcomeText(row)),
    moment(row.lastRun?.lastSucceededAt ?? '-'),
    moment(nextText(row)),
    ...(queued ? [String(row.waiting ?? '-'), String(row.failed ?? '-')] : []),
  ])
  return textTable([[...head, ...(queued ? ['waiting', 'failed'] : [])], ...cells], screen, head.indexOf('outcome'))
}
