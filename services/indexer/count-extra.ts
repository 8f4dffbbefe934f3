import { AppError } from '../../shared/errors.js'
import type { Lock } from '../../shared/ports/catalog-store.js'
import { searchSettingsFingerprint } from '../../shared/search-settings.js'
import { stateKeys } from '../../shared/state-keys.js'
import { applyBatch, batchSize, mapBatch } from './apply-changes.js'
import { fencedCatalog, fencedIndex } from './fenced-stores.js'
import type { JobContext } from './job.js'
import { isPaused } from './paused-jobs.js'
import { waitForLock } from './wait-for-lock.js'

const syncName = 'sync-skills'

/** For how long a running sync is waited for. */
const lockTimeoutMs = 5_000

/** How often both are counted when skills change between the two counts. */
const maxAttempts = 5

/**
 * Counts the documents of the index that no published skill accounts for: those of skills that were deleted from the
 * catalog without a trace.
 *
 * Both are counted at one position of the changes: published skills when nothing has changed between the changes read
 * before and after the count, and the index once it holds just the former, under the lock of the sync. When skills have
 * changed while they were counted, those that were unpublished are accounted for; one that was published could hide a
 * document that is extra, so then both are counted again.
 *
 * @returns at least so many, never too many; null when it is unknown: the sync is paused, late, has never run
 * or is run by another process, the index does not answer, or skills change too often
 */
export async function countExtra(context: JobContext): Promise<number | null> {
  if (await isPaused(context.catalog, syncName)) {
    return null
  }
  let lock: Lock | null = null
  try {
    lock = await waitForLock(context.catalog, syncName, lockTimeoutMs, context.signal)
    return await countUnderLock({
      ...context,
      catalog: fencedCatalog(context.catalog, lock),
      index: fencedIndex(context.index, lock),
      progress: { add: () => undefined },
    })
  } catch (error) {
    if (error instanceof AppError && ['job_running', 'lock_lost', 'search_unavailable'].includes(error.code)) {
      return null
    }
    throw error
  } finally {
    await lock?.release()
  }
}

async function countUnderLock(context: JobContext): Promise<number | null> {
  const { catalog, index } = context
  let position = await catalog.readState<string>(stateKeys.syncWatermark)
  if (position === null || (await index.status()).settings !== searchSettingsFingerprint) {
    return null
  }
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const before = await catalog.changesAfter(position, batchSize)
    const published = await catalog.countPublished()
    const { changes: meanwhile } = await catalog.changesAfter(before.watermark, batchSize)
    if (before.more) {
      return null
    }
    await applyBatch(context, await mapBatch(before.changes), 'live')
    if (before.watermark !== position) {
      position = before.watermark
      await catalog.writeState(stateKeys.syncWatermark, position)
    }
    const unpublished = meanwhile.length - (await mapBatch(meanwhile)).publish.length
    const extra = (await index.status()).documents - published - unpublished
    if (extra > 0 || meanwhile.length === 0) {
      return Math.max(0, extra)
    }
  }
  return null
}
