import { computeStats } from '../../jobs/compute-stats.js'
import { jobCommand } from '../job-command.js'

/** `stats`: computes the statistics of /api/v1/stats. */
export const stats = jobCommand(computeStats, {
  usage: 'stats',
  details: ['The service runs this every STATS_EVERY_SECONDS, five minutes by default.'],
  examples: ['stats', 'stats --json'],
  rateFields: [],
})
