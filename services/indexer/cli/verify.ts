import { verifyIndex } from '../jobs/verify-index.js'
import { jobCommand } from './job-command.js'

/** `verify`: whether the index holds what the catalog holds. */
export const verify = jobCommand(verifyIndex, {
  usage: 'verify',
  details: ['The status is 1 when there are differences, and the first 50 are told. `rebuild` mends them.'],
  examples: ['verify', 'verify --json'],
  counted: 'compared',
})
