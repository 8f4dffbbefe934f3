import { writeExports } from '../../jobs/write-exports.js'
import { jobCommand } from '../job-command.js'

/** `export`: writes the files of /api/v1/export. */
export const exportFiles = jobCommand(writeExports, {
  usage: 'export',
  details: ['The files of all types and formats are published in one step; running downloads complete the old files.'],
  examples: ['export', 'export --json'],
  rateFields: ['rows'],
})
