import type { JobSchedule } from '../../shared/ports/job-scheduler.js'
import type { IndexerConfig } from './config.js'
import type { Job } from './job.js'
import { computeStats } from './jobs/compute-stats.js'
import { divideSitemap } from './jobs/divide-sitemap.js'
import { logChanges } from './jobs/log-changes.js'
import { mendLateWrites } from './jobs/mend-late-writes.js'
import { rebuildIndex } from './jobs/rebuild-index.js'
import { retryDeadLetters } from './jobs/retry-dead-letters.js'
import { syncSkills } from './jobs/sync-skills.js'
import { verifyChanges } from './jobs/verify-changes.js'
import { verifyIndex } from './jobs/verify-index.js'
import { writeExports } from './jobs/write-exports.js'

/** Every job there is. The scheduler and the command line read this list; nothing registers itself. */
export const jobs: Job[] = [
  syncSkills,
  logChanges,
  rebuildIndex,
  computeStats,
  writeExports,
  mendLateWrites,
  verifyIndex,
  verifyChanges,
  divideSitemap,
  retryDeadLetters,
]

/** When each job runs by itself: as its own row says, or as configured. */
export const schedules = ({ everySeconds }: IndexerConfig): JobSchedule[] =>
  jobs.map((job) => ({ name: job.name, everySeconds: everySeconds[job.name] ?? job.everySeconds }))
