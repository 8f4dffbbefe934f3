import { readPausedJobs, resumeJobs } from '../../runner/paused-jobs.js'
import { chooseJobs, withJobNames } from '../choose-jobs.js'
import type { CommonOptions } from '../command-line.js'
import { defineCommand } from '../define-command.js'

/** `jobs resume`: restarts the schedules of jobs. */
export const jobsResume = defineCommand<CommonOptions>({
  usage: 'resume [job...]',
  summary: 'restart the schedules of all paused jobs, or of the named ones',
  details: ['Each job runs at the next time of its schedule.'],
  examples: ['jobs resume', 'jobs resume sync-index'],
  options: withJobNames,
  run: (cli, _options, names) => {
    const chosen = names.length === 0 ? null : chooseJobs(cli, names)
    return cli.withCatalog(async (catalog) => {
      // All means all that are stored, also jobs of earlier versions.
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
