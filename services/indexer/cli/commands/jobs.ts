import { runnersLine } from '../../status/describe.js'
import { readJobs } from '../../status/read-status.js'
import type { CommonOptions } from '../command-line.js'
import { defineCommand } from '../define-command.js'
import { jobTable } from '../output/job-table.js'
import { screenOf } from '../output/screen.js'
import { jobsDeadLetters } from './jobs-dead-letters.js'
import { jobsPause } from './jobs-pause.js'
import { jobsResume } from './jobs-resume.js'
import { jobsRetry } from './jobs-retry.js'

/** `jobs`: lists the jobs with their schedules and last runs. */
export const jobs = defineCommand<CommonOptions>({
  usage: 'jobs',
  summary: 'list the jobs with their intervals, last runs and next runs',
  details: [],
  examples: ['jobs', 'jobs --json', 'jobs retry', 'jobs pause sync-index'],
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
  subcommands: [jobsRetry, jobsDeadLetters, jobsPause, jobsResume],
})
