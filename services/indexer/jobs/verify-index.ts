import { stateKeys } from '../../../shared/state-keys.js'
import { batchSize } from '../apply-changes.js'
import { applyIds } from '../apply-ids.js'
import { compareIndex } from '../compare-index.js'
import { fencedIndex } from '../fenced-stores.js'
import type { Job, JobContext } from '../job.js'
import { waitForLock } from '../wait-for-lock.js'
import { syncSkills } from './sync-skills.js'

/** For how long a sync under way is waited for. */
const syncPatienceMs = 120_000

/**
 * Compares the live index with the catalog, reports every difference and mends it: what was deleted from the catalog
 * without a trace leaves the index, and the dead letters, in this way only.
 */
export const verifyIndex: Job = {
  name: 'verify-index',
  summary: 'compare the search index with the catalog, report every difference and mend it',
  everySeconds: 86_400,

  async run(context) {
    const watermark = await context.catalog.readState<string>(stateKeys.syncWatermark)
    let mended = 0
    const counts = await compareIndex(context, 'live', watermark, {
      mend: async (ids) => {
        context.reached?.('differences-found')
        mended += await mend(context, ids)
        context.reached?.('differences-mended')
      },
    })
    await forgetGone(context)
    return { ...counts, mended }
  },
}

/** Makes the index hold what is stored under these ids now. Returns of how many it could. */
async function mend(context: JobContext, ids: string[]): Promise<number> {
  const lock = await waitForLock(context.catalog, syncSkills.name, syncPatienceMs, context.signal)
  try {
    const index = fencedIndex(context.index, lock)
    // What is rejected was reported, and counted, when it was met.
    const { published, removed } = await applyIds(
      { ...context, index, progress: { add: () => undefined }, report: () => undefined },
      ids,
    )
    return published + removed
  } finally {
    await lock.release()
  }
}

/** Drops the dead letters of what is stored no more: no change will come that would do so. */
async function forgetGone(context: JobContext): Promise<void> {
  const { catalog, signal } = context
  let afterId: string | null = null
  do {
    signal.throwIfAborted()
    const ids: string[] = (await catalog.listDeadLetters(afterId, batchSize)).map(({ id }) => id)
    const stored = new Set((await catalog.findStored('skills', ids)).map(({ id }) => id))
    const gone = ids.filter((id) => !stored.has(id))
    if (gone.length > 0) {
      // Read again under the lock of the sync, which may be about to take in a document of that id.
      await mend(context, gone)
    }
    afterId = ids.at(-1) ?? null
  } while (afterId !== null)
}
