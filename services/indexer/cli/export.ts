import { writeExports } from '../jobs/write-exports.js'
import { jobCommand } from './job-command.js'

/** `export`: the files that /api/v1/export serves, written now. */
export const exportFiles = jobCommand(writeExports, {
  usage: 'export',
  details: ['The files of all types and formats are published in one step; downloads under way end with the old ones.'],
  examples: ['export', 'export --json'],
  counted: 'rows',
})
