import type { Stores } from '../../../shared/adapters/open.js'
import type { JobResult } from '../job.js'
import { syncSkills } from '../jobs/sync-skills.js'
import type { CommandLine } from './command-line.js'
import type { ProgressDisplay } from './progress-display.js'
import { runBehindOthers } from './run-by-hand.js'

/** For how long a sync of another process is waited for. */
const patienceMs = 30_000

/**
 * Brings the search index up to date with what this process has written.
 *
 * @returns null when another process is at it and will take this in as well
 */
export async function updateIndex(
  cli: CommandLine,
  stores: Stores,
  display: ProgressDisplay,
): Promise<JobResult | null> {
  const result = await runBehindOthers(syncSkills, cli, stores, display, () => undefined, patienceMs)
  const busy = result === null || result['waitingFor'] !== undefined
  if (busy) {
    display.tell('The search index is still being brought up to date by another process, which takes this in as well.')
  }
  return busy ? null : result
}
