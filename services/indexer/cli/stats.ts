import { computeStats } from '../jobs/compute-stats.js'
import { jobCommand } from './job-command.js'

/** `stats`: the figures that /api/v1/stats serves, computed now. */
export const stats = jobCommand(computeStats, {
  usage: 'stats',
  details: ['The service does this by itself, every five minutes unless configured otherwise.'],
  examples: ['stats', 'stats --json'],
  counted: null,
})
