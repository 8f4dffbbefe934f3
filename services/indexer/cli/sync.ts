import { syncSkills } from '../jobs/sync-skills.js'
import { jobCommand } from './job-command.js'

/** `sync`: what the service does every two seconds, once and now. */
export const sync = jobCommand(syncSkills, {
  usage: 'sync',
  details: ['A running service does this by itself. Skills that cannot be indexed are told, and the status is 1.'],
  examples: ['sync', 'sync --json'],
  counted: 'published',
})
