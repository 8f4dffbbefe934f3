import { setImmediate } from 'node:timers/promises'
import type { IndexTarget } from '../../shared/ports/search-index.js'
import type { JobContext } from './job.js'
import { type RejectedSkill, type SearchChanges, toSearchDocuments } from './to-search-document.js'

/** How many skills are read, mapped and indexed at a time. */
export const batchSize = 1_000

/** In a service jobs run beside the answering of requests, which should never wait for more than so many skills. */
export const pauseEvery = 100

/** What was done to the index. */
export interface AppliedCounts {
  published: number
  removed: number
  rejected: number
}

/**
 * Walks through what changed in the catalog and makes the index hold it.
 *
 * @param from where to begin; null: at the beginning of everything
 * @param keep called with each position that the index has reached, once it has confirmed everything up to there: a
 * run that ends between the two repeats work and never skips any
 */
export async function applyChanges(
  context: JobContext,
  from: string | null,
  target: IndexTarget,
  keep: (watermark: string) => Promise<void>,
): Promise<AppliedCounts> {
  const counts: AppliedCounts = { published: 0, removed: 0, rejected: 0 }
  let watermark = from
  let more = true
  while (more) {
    context.signal.throwIfAborted()
    const stretch = await context.catalog.changesAfter(watermark, batchSize)
    if (stretch.changes.length > 0) {
      context.reached?.('batch-read')
      const applied = await applyBatch(context, await mapBatch(stretch.changes), target)
      counts.published += applied.published
      counts.removed += applied.removed
      counts.rejected += applied.rejected
      context.progress.add(stretch.changes.length)
      context.reached?.('batch-applied')
    }
    if (stretch.watermark !== watermark) {
      watermark = stretch.watermark
      await keep(watermark)
      context.reached?.('watermark-kept')
    }
    more = stretch.more
  }
  return counts
}

/** `toSearchDocuments` for a whole batch, with pauses in which requests are answered. */
export async function mapBatch(changes: { id: string; stored: unknown }[]): Promise<SearchChanges> {
  const sorted: SearchChanges = { publish: [], remove: [], rejected: [] }
  for (let from = 0; from < changes.length; from += pauseEvery) {
    const { publish, remove, rejected } = toSearchDocuments(changes.slice(from, from + pauseEvery))
    sorted.publish.push(...publish)
    sorted.remove.push(...remove)
    sorted.rejected.push(...rejected)
    await setImmediate()
  }
  return sorted
}

/** Makes the index hold a batch, and notes as dead letters what of it cannot be indexed. */
export async function applyBatch(
  context: JobContext,
  { publish, remove, rejected }: SearchChanges,
  target: IndexTarget,
): Promise<AppliedCounts> {
  const { rejected: refused } = await context.index.apply({ publish, remove }, target)
  await noteRejected(context, [...publish.map(({ id }) => id), ...remove], [...rejected, ...refused])
  return {
    published: publish.length - refused.length,
    removed: remove.length - rejected.length,
    rejected: rejected.length + refused.length,
  }
}

/** Keeps what was rejected as dead letters, and forgets those of the others, which have been dealt with. */
async function noteRejected(context: JobContext, ids: string[], rejected: RejectedSkill[]): Promise<void> {
  const since = context.clock().toISOString()
  const refused = new Set(rejected.map(({ id }) => id))
  await context.catalog.dropDeadLetters(ids.filter((id) => !refused.has(id)))
  if (rejected.length > 0) {
    await context.catalog.keepDeadLetters(rejected.map(({ id, reason }) => ({ id, reason, since })))
  }
  for (const { id, reason } of rejected) {
    context.report({ kind: 'rejected', id, reason })
  }
}
