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
      const sorted = await mapBatch(stretch.changes)
      await context.index.apply({ publish: sorted.publish, remove: sorted.remove }, target)
      await noteRejected(context, sorted)
      counts.published += sorted.publish.length
      counts.removed += sorted.remove.length - sorted.rejected.length
      counts.rejected += sorted.rejected.length
      context.progress.add(stretch.changes.length)
    }
    if (stretch.watermark !== watermark) {
      watermark = stretch.watermark
      await keep(watermark)
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

/** Keeps what was rejected as dead letters, and forgets those of skills that have been dealt with. */
export async function noteRejected(context: JobContext, { publish, remove, rejected }: SearchChanges): Promise<void> {
  const since = context.clock().toISOString()
  const refused = new Set(rejected.map(({ id }: RejectedSkill) => id))
  const dealtWith = [...publish.map(({ id }) => id), ...remove.filter((id) => !refused.has(id))]
  await context.catalog.dropDeadLetters(dealtWith)
  if (rejected.length > 0) {
    await context.catalog.keepDeadLetters(rejected.map(({ id, reason }) => ({ id, reason, since })))
  }
  for (const { id, reason } of rejected) {
    context.report({ kind: 'rejected', id, reason })
  }
}
