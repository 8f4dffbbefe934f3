import type { Stores } from '../../../shared/adapters/open.js'
import { didNothing, type Job, type JobResult } from '../job.js'
import { computeStats } from '../jobs/compute-stats.js'
import { syncSkills } from '../jobs/sync-skills.js'
import { writeExports } from '../jobs/write-exports.js'
import type { CommandLine } from './command-line.js'
import { inWords } from './figures.js'
import type { ProgressDisplay } from './progress-display.js'
import { runBehindOthers } from './run-by-hand.js'

/** For how long a run of another process is waited for. */
const patienceMs = 30_000

/** What was made anew from the records; null for what another process is at and will make with these records too. */
export interface Renewed {
  sync: JobResult | null
  exports: JobResult | null
  stats: JobResult | null
}

/** Brings search index, export files and figures up to date with what this process has written. */
export async function bringUpToDate(cli: CommandLine, stores: Stores, display: ProgressDisplay): Promise<Renewed> {
  const run = (job: Job) => runBehindOthers(job, cli, stores, display, () => undefined, patienceMs)
  const synced = await run(syncSkills)
  const sync = synced?.['waitingFor'] === undefined ? synced : null
  if (sync === null) {
    display.tell('The search index is still being brought up to date by another process, which takes this in as well.')
  }
  // The figures tell when the files were written: files first.
  return { sync, exports: await run(writeExports), stats: await run(computeStats) }
}

/**
 * What became of the search index, in lines for people. Where an indexer runs, it may have taken in everything before
 * this process came to it: figures of nothing would look like a failure.
 *
 * @param renewed null when nothing was made anew
 */
export function searchIndexLines(renewed: Renewed | null): string[] {
  const sync = renewed?.sync ?? null
  return sync === null ? [] : [`Search index: ${didNothing(sync) ? 'up to date' : inWords(sync)}`]
}
