import { batchSize } from '../apply-changes.js'
import { applyIds } from '../apply-ids.js'
import { fencedIndex } from '../fenced-stores.js'
import type { Job } from '../job.js'
import { waitForLock } from '../wait-for-lock.js'
import { syncSkills } from './sync-skills.js'

/** For how long a sync under way is waited for. */
const syncPatienceMs = 120_000

/**
 * Tries again to index what could not be indexed. Only by hand: a skill whose document changes is tried again by the
 * sync.
 */
export const retryDeadLetters: Job = {
  name: 'retry-dead-letters',
  summary: 'try again to index the skills that could not be indexed',
  everySeconds: null,

  async run(context) {
    const { catalog, signal } = context
    const lock = await waitForLock(catalog, syncSkills.name, syncPatienceMs, signal)
    try {
      const counts = { tried: 0, published: 0, removed: 0, rejected: 0 }
      let afterId: string | null = null
      do {
        const letters = await catalog.listDeadLetters(afterId, batchSize)
        const applied = await applyIds(
          { ...context, index: fencedIndex(context.index, lock) },
          letters.map(({ id }) => id),
        )
        if (letters.length > 0) {
          context.reached?.('letters-retried')
        }
        counts.tried += letters.length
        counts.published += applied.published
        counts.removed += applied.removed
        counts.rejected += applied.rejected
        afterId = letters.at(-1)?.id ?? null
      } while (afterId !== null)
      return counts
    } finally {
      await lock.release()
    }
  },
}
