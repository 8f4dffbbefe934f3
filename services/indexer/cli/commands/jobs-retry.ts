import { AppError } from '../../../../shared/runtime/errors.js'
import { jobs } from '../../jobs.js'
import { readJobs } from '../../status/read-status.js'
import { chooseJobs, withJobNames } from '../choose-jobs.js'
import type { CommandLine, ExitStatus, Outcome } from '../command-line.js'
import { defineCommand } from '../define-command.js'
import { type RunOptions, runJobCommand, withLocal } from '../job-command.js'

/** `jobs retry`: runs jobs again whose last run failed. */
export const jobsRetry = defineCommand<RunOptions>({
  usage: 'retry [job...]',
  summary: 'run all jobs again whose last run failed, or the named ones among them',
  details: ['They run one after the other. The exit status is 2 when one of them fails again.'],
  examples: ['jobs retry', 'jobs retry write-exports --json'],
  options: (command) => withJobNames(withLocal(command)),
  run: retryJobs,
})

async function retryJobs(cli: CommandLine, options: RunOptions, names: string[]): Promise<Outcome> {
  const failed = await failedJobs(cli, chooseJobs(cli, names))
  const runs: Record<string, unknown>[] = []
  const texts: string[] = []
  let worst: ExitStatus = 0
  for (const job of jobs.servers.filter(({ name }) => failed.includes(name))) {
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
  const text = texts.length === 0 ? 'Nothing to do: the last run of no job has failed.\n' : texts.join('')
  return { status: worst, result: { runs }, text }
}

/** Errors with which every further job would fail as well. */
const fatalCodes = ['no_indexer', 'jobs_unavailable', 'following_stopped', 'stopped']

const failedJobs = (cli: CommandLine, names: string[]): Promise<string[]> =>
  cli.withCatalog(async (catalog) => {
    const { jobs: rows } = await readJobs(cli, catalog)
    return rows.flatMap(({ name, lastRun }) => (names.includes(name) && lastRun?.outcome === 'failed' ? [name] : []))
  })
