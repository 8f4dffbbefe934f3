import { type AppliedCounts, batchSize, mapBatch, noteRejected } from './apply-changes.js'
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
    const sorted = await mapBatch(batch.map((id) => ({ id, stored: found.get(id) })))
    await context.index.apply({ publish: sorted.publish, remove: sorted.remove })
    await noteRejected(context, sorted)
    counts.published += sorted.publish.length
    counts.removed += sorted.remove.length - sorted.rejected.length
    counts.rejected += sorted.rejected.length
    context.progress.add(batch.length)
  }
  return counts
}
