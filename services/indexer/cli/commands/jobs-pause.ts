import { pauseJobs } from '../../runner/paused-jobs.js'
import { chooseJobs, withJobNames } from '../choose-jobs.js'
import type { CommandLine, CommonOptions } from '../command-line.js'
import { defineCommand } from '../define-command.js'

/** `jobs pause`: stops the schedules of jobs. */
export const jobsPause = defineCommand<CommonOptions>({
  usage: 'pause [job...]',
  summary: 'stop the schedules of all jobs, or of the named ones, until they are resumed',
  details: [
    'A run in progress is completed. A paused job can still be run by its command. The catalog stores which jobs are ' +
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
