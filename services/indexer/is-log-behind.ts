import { batchSize } from './apply-changes.js'
import type { JobContext } from './job.js'

/**
 * Whether the change log lacks many of the catalog's changes: it has never been complete, as in a new catalog, or more
 * than one batch has yet to be logged, as after a large import.
 */
export async function isLogBehind({ catalog, changes }: Pick<JobContext, 'catalog' | 'changes'>): Promise<boolean> {
  const { watermark, complete } = await changes.position()
  return !complete || (await catalog.changesAfter(watermark, batchSize)).more
}
