import type { IndexTarget } from '../../../shared/ports/search-index.js'
import type { IndexContext } from '../runner/job.js'
import { type AppliedCounts, applyChanges, changesOf } from './apply-skills.js'

/** The number of changes that a comparison reads or repairs at a time. */
export const changesPerBatch = 1_000

/**
 * Updates an index from one position of the change log to its head. For each change the current skill is indexed, so
 * that repeating it is harmless. The next changes are read, and their skills embedded, while the index takes the ones
 * before.
 *
 * @param context under the lock of the jobs that write to this index
 * @param from the sequence up to which the index holds all changes
 * @param keep called with each position once the index has confirmed all changes up to it: a run that ends in between
 * repeats work and never skips any
 */
export async function replayLog(
  context: IndexContext,
  from: number,
  target: IndexTarget,
  keep: (position: number) => Promise<void>,
): Promise<AppliedCounts> {
  const counts: AppliedCounts = { published: 0, removed: 0, rejected: 0 }
  const { changes: log, index, signal, progress } = context
  let applying: Promise<void> = Promise.resolve()
  try {
    for (let position = from; ; ) {
      const { changes, head } = await log.after(position, index.documentsPerApply)
      const isLast = changes.length < index.documentsPerApply
      const next = isLast ? head : (changes.at(-1)?.sequence ?? head)
      const ids = changes.map(({ id }) => id)
      const made = ids.length === 0 ? null : await changesOf({ ...context, changedAfter: position }, ids, target)
      await applying
      signal.throwIfAborted()
      const apply = async () => {
        if (made !== null) {
          const { published, removed, rejected } = await applyChanges(context, made, target)
          counts.published += published
          counts.removed += removed
          counts.rejected += rejected
          progress.add(changes.length)
        }
        await keep(next)
      }
      if (next !== position) {
        position = next
        applying = apply()
        // Awaited in its turn; until then a rejection must not count as unhandled.
        applying.catch(() => undefined)
      }
      if (isLast) {
        await applying
        return counts
      }
    }
  } finally {
    await Promise.allSettled([applying])
  }
}
