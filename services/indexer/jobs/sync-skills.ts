import { searchSettingsFingerprint } from '../../../shared/search-settings.js'
import { stateKeys } from '../../../shared/state-keys.js'
import { applyChanges } from '../apply-changes.js'
import { buildIndex } from '../build-index.js'
import { fencedIndex } from '../fenced-stores.js'
import type { Job, JobContext, JobResult } from '../job.js'
import { rebuildIndex } from './rebuild-index.js'

/**
 * Brings the live index up to what the catalog holds now.
 *
 * The watermark is saved only after the index has confirmed everything up to it, so a crash at any line repeats work
 * and never skips any. An index that was never built, or with other settings, is built anew instead: change by change
 * it would never come right.
 */
export const syncSkills: Job = {
  name: 'sync-skills',
  summary: 'bring the search index up to date with what changed in the catalog',
  everySeconds: 2,

  async run(context) {
    const { catalog, index } = context
    if ((await index.status()).settings !== searchSettingsFingerprint) {
      return replaceIndex(context)
    }
    const watermark = await catalog.readState<string>(stateKeys.syncWatermark)
    const counts = await applyChanges(context, watermark, 'live', (reached) =>
      catalog.writeState(stateKeys.syncWatermark, reached),
    )
    return { ...counts }
  },

  followedBy: (result) => (result['rebuilt'] === true ? ['write-exports'] : []),
}

async function replaceIndex(context: JobContext): Promise<JobResult> {
  const lock = await context.catalog.lock(rebuildIndex.name)
  if (lock === null) {
    return { waitingFor: rebuildIndex.name }
  }
  try {
    const index = fencedIndex(context.index, lock)
    return { rebuilt: true, ...(await buildIndex({ ...context, index }, { holdsSyncLock: true })) }
  } finally {
    await lock.release()
  }
}
