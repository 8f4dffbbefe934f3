import { verifyIndex } from '../jobs/verify-index.js'
import { jobCommand } from './job-command.js'

/** `verify`: whether the index holds what the catalog holds. */
export const verify = jobCommand(verifyIndex, {
  usage: 'verify',
  details: ['The first 50 differences are told, and all of them are mended; the status is 1 when there were any.'],
  examples: ['verify', 'verify --json'],
  counted: 'compared',
})
