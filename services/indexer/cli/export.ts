import { writeExports } from '../jobs/write-exports.js'
import { jobCommand } from './job-command.js'

/** `export`: the files that /api/v1/export serves, written now. */
export const exportFiles = jobCommand(writeExports, {
  usage: 'export',
  details: [
    'The files appear in one step under exports/ in the data folder; downloads under way end with the old ones.',
  ],
  examples: ['export', 'export --json'],
  counted: 'rows',
})
