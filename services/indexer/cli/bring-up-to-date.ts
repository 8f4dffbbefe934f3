import type { Stores } from '../../../shared/adapters/stores.js'
import { formatResult } from '../../../shared/text/format-numbers.js'
import { computeStats } from '../jobs/compute-stats.js'
import { divideSitemap } from '../jobs/divide-sitemap.js'
import { ingest } from '../jobs/ingest.js'
import { recordHistory } from '../jobs/record-history.js'
import { syncIndex } from '../jobs/sync-index.js'
import { writeDataset } from '../jobs/write-dataset.js'
import { writeExports } from '../jobs/write-exports.js'
import { didNothing, type Job, type JobResult } from '../runner/job.js'
import type { CommandLine } from './command-line.js'
import type { ProgressDisplay } from './output/progress-display.js'
import { runAfterOthers } from './run-in-process.js'

/** The longest wait for the run of another process. */
const timeoutMs = 30_000

/** Results by job; null when another process is still running that job, and will process the new records too. */
export interface UpdateResults {
  sync: JobResult | null
  exports: JobResult | null
  stats: JobResult | null
}

/** Reads the documents that other applications have written; does nothing where there are none. */
export async function readDocuments(cli: CommandLine, stores: Stores, display: ProgressDisplay): Promise<void> {
  if (stores.ingest !== null) {
    await runAfterOthers(ingest, cli, stores, display, timeoutMs)
  }
}

/** Updates search index, export files and statistics after this process has written records. */
export async function bringUpToDate(
  cli: CommandLine,
  stores: Stores,
  display: ProgressDisplay,
): Promise<UpdateResults> {
  const run = (job: Job) => runAfterOthers(job, cli, stores, display, timeoutMs)
  await readDocuments(cli, stores, display)
  const sync = await run(syncIndex)
  if (sync === null) {
    display.report('Another process is still updating the search index, and will index these records as well.')
  }
  // The statistics contain the time of the newest export: files first.
  const updates = { sync, exports: await run(writeExports), stats: await run(computeStats) }
  if (updates.stats?.['firstRecords'] === true) {
    await run(writeDataset)
    await run(recordHistory)
    await run(divideSitemap)
  }
  return updates
}

/**
 * The line about the search index; none without a sync. A running indexer may have indexed the records before this
 * process did: counts of zero would look like a failure, so the line says `up to date`.
 *
 * @param updates null when nothing was updated
 */
export function searchIndexLines(updates: UpdateResults | null): string[] {
  const sync = updates?.sync ?? null
  return sync === null ? [] : [`Search index: ${didNothing(sync) ? 'up to date' : formatResult(sync)}`]
}
