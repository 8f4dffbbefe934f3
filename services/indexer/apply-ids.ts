import { type AppliedCounts, applyBatch, batchSize, mapBatch } from './apply-changes.js'
import type { JobContext } from './job.js'

/**
 * Makes the live index hold what the catalog holds of these skills now, whatever changed and when. Only under the lock
 * of the sync: what is read here must not be written behind something newer.
 */
export async function applyIds(context: JobContext, ids: string[]): Promise<AppliedCounts> {
  const counts: AppliedCounts = { published: 0, removed: 0, rejected: 0 }
  for (let from = 0; from < ids.length; from += batchSize) {
    context.signal.throwIfAborted()
    const batch = ids.slice(from, from + batchSize)
    const found = new Map((await context.catalog.findStored('skills', batch)).map(({ id, stored }) => [id, stored]))
    const changes = await mapBatch(batch.map((id) => ({ id, stored: found.get(id) })))
    const applied = await applyBatch(context, changes, 'live')
    counts.published += applied.published
    counts.removed += applied.removed
    counts.rejected += applied.rejected
    context.progress.add(batch.length)
  }
  return counts
}
