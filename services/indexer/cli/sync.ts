import { syncSkills } from '../jobs/sync-skills.js'
import { jobCommand } from './job-command.js'

/** `sync`: what the service does by itself, once and now. */
export const sync = jobCommand(syncSkills, {
  usage: 'sync',
  details: [
    'The service does this by itself, all the time. Skills that cannot be indexed are told, and the status is 1.',
  ],
  examples: ['sync', 'sync --json'],
  counted: 'published',
})
