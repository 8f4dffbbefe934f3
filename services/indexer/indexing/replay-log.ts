import type { Fence } from '../../../shared/ports/locks.js'
import type { IndexTarget } from '../../../shared/ports/search-index.js'
import type { JobContext } from '../runner/job.js'
import { type AppliedCounts, applyIds } from './apply-skills.js'

/** The number of changes that are read and indexed at a time. */
export const changesPerBatch = 1_000

/**
 * Updates an index from one position of the change log to its head. For each change the current skill is indexed, so
 * that repeating it, or applying changes out of order, is harmless.
 *
 * @param from the sequence up to which the index holds all changes
 * @param keep called with each position once the index has confirmed all changes up to it: a run that ends in between
 * repeats work and never skips any
 */
export async function replayLog(
  context: JobContext,
  from: number,
  target: IndexTarget,
  fence: Fence,
  keep: (position: number) => Promise<void>,
): Promise<AppliedCounts> {
  const counts: AppliedCounts = { published: 0, removed: 0, rejected: 0 }
  for (let position = from; ; ) {
    context.signal.throwIfAborted()
    const { changes, head } = await context.changes.after(position, changesPerBatch)
    const isLast = changes.length < changesPerBatch
    if (changes.length > 0) {
      context.reached?.('batch-read')
      const ids = changes.map(({ id }) => id)
      const { published, removed, rejected } = await applyIds(
        { ...context, changedAfter: position },
        ids,
        target,
        fence,
      )
      counts.published += published
      counts.removed += removed
      counts.rejected += rejected
      context.progress.add(changes.length)
      context.reached?.('batch-applied')
    }
    const reached = isLast ? head : (changes.at(-1)?.sequence ?? head)
    if (reached !== position) {
      position = reached
      await keep(position)
      context.reached?.('position-kept')
    }
    if (isLast) {
      return counts
    }
  }
}
