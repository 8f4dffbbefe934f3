import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import type { JobScheduler } from '../../shared/ports/job-scheduler.js'
import { syncSkills } from './jobs/sync-skills.js'
import { isPaused } from './paused-jobs.js'

/**
 * Has what is written to the catalog indexed at once where the store tells of it, instead of at the sync's next turn.
 *
 * @returns ends it
 */
export function followChanges(catalog: CatalogStore, scheduler: JobScheduler): () => Promise<void> {
  let syncing = false
  let changed = false
  return catalog.watch(() => {
    changed = true
    if (!syncing) {
      syncing = true
      void syncWhileChanging().finally(() => {
        syncing = false
      })
    }
  })

  /** However many changes come meanwhile, one more run takes in all of them. */
  async function syncWhileChanging(): Promise<void> {
    while (changed) {
      changed = false
      // The schedule runs it anyway: whatever is wrong with the queue is told there.
      await syncNow().catch(() => undefined)
    }
  }

  async function syncNow(): Promise<void> {
    if (!(await isPaused(catalog, syncSkills.name))) {
      await scheduler.trigger(syncSkills.name)
    }
  }
}
