import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import type { JobScheduler } from '../../shared/ports/job-scheduler.js'
import { logChanges } from './jobs/log-changes.js'
import { syncSkills } from './jobs/sync-skills.js'
import { isPaused } from './paused-jobs.js'

/**
 * Has what is written to the catalog indexed and logged at once where the store tells of it, instead of at the next turn.
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
      await Promise.allSettled([syncSkills, logChanges].map(({ name }) => runNow(name)))
    }
  }

  async function runNow(name: string): Promise<void> {
    if (!(await isPaused(catalog, name))) {
      await scheduler.trigger(name)
    }
  }
}
