import { pauseJobs } from '../paused-jobs.js'
import { chooseJobs } from './choose-jobs.js'
import type { CommandLine, CommonOptions } from './command-line.js'
import { defineCommand } from './define-command.js'

/** `jobs pause`: the schedule stands still. */
export const jobsPause = defineCommand<CommonOptions>({
  usage: 'pause [job...]',
  summary: 'let jobs run no more by themselves, all or those that are named, until they are resumed',
  details: [
    'A run that is under way ends as it would. By hand a paused job can still be run. The catalog keeps what is paused, ' +
      'so that it stays paused over restarts.',
  ],
  examples: ['jobs pause', 'jobs pause sync-skills write-exports'],
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
