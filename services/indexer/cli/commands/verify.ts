import { reconcile } from '../../jobs/reconcile.js'
import { jobCommand } from '../job-command.js'

/** `verify`: compares the search index with the catalog, and repairs it. */
export const verify = jobCommand(reconcile, {
  usage: 'verify',
  details: ['All differences are repaired, and the first 50 are listed; the exit status is 1 when there were any.'],
  examples: ['verify', 'verify --json'],
  rateFields: ['compared'],
})
