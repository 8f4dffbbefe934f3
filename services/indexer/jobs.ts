import type { JobSchedule } from '../../shared/ports/job-scheduler.js'
import type { IndexerConfig } from './config.js'
import { computeStats } from './jobs/compute-stats.js'
import { divideSitemap } from './jobs/divide-sitemap.js'
import { embedSkills } from './jobs/embed-skills.js'
import { ingest } from './jobs/ingest.js'
import { rebuildIndex } from './jobs/rebuild-index.js'
import { reconcile } from './jobs/reconcile.js'
import { recordHistory } from './jobs/record-history.js'
import { retryDeadLetters } from './jobs/retry-dead-letters.js'
import { syncIndex } from './jobs/sync-index.js'
import { writeExports } from './jobs/write-exports.js'
import type { Job } from './runner/job.js'

const commonJobs: Job[] = [
  syncIndex,
  rebuildIndex,
  embedSkills,
  computeStats,
  writeExports,
  reconcile,
  divideSitemap,
  recordHistory,
  retryDeadLetters,
]

/**
 * Every job there is, by the mode that the catalog runs in. The scheduler and the command line read this list; nothing
 * registers itself.
 */
export const jobs = { embedded: commonJobs, servers: [ingest, ...commonJobs] }

/** On servers the ingest runs the sync whenever it has logged changes; by itself it runs in case that was lost. */
const serversSyncEverySeconds = 10

/** When each job runs by itself: as its own row says, or as configured. */
export const schedules = (mode: keyof typeof jobs, { everySeconds }: IndexerConfig): JobSchedule[] =>
  jobs[mode].map(({ name, everySeconds: byItself }) => ({
    name,
    everySeconds:
      everySeconds[name] ?? (mode === 'servers' && name === syncIndex.name ? serversSyncEverySeconds : byItself),
  }))
