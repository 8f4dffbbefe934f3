import { computeStats } from '../jobs/compute-stats.js'
import { jobCommand } from './job-command.js'

/** `stats`: the figures that /api/v1/stats serves, computed now. */
export const stats = jobCommand(computeStats, {
  usage: 'stats',
  details: ['A running service does this every five minutes, and serves figures that are at most so old.'],
  examples: ['stats', 'stats --json'],
  counted: null,
})
