import { resumeJobs } from '../paused-jobs.js'
import { chooseJobs } from './choose-jobs.js'
import type { CommonOptions } from './command-line.js'
import { defineCommand } from './define-command.js'

/** `jobs resume`: the schedule goes on. */
export const jobsResume = defineCommand<CommonOptions>({
  usage: 'resume [job...]',
  summary: 'let paused jobs run by themselves again, all or those that are named',
  details: ['Each runs at its next turn, as its schedule says.'],
  examples: ['jobs resume', 'jobs resume sync-skills'],
  run: (cli, _options, names) => {
    const chosen = chooseJobs(cli, names)
    return cli.withCatalog(async (catalog) => {
      const { resumed, paused } = await resumeJobs(catalog, chosen)
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
