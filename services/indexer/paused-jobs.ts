import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import { stateKeys } from '../../shared/state-keys.js'

/** Names of the jobs whose schedule is paused: kept with the catalog, whatever runs the jobs. */
const readPausedJobs = async (catalog: CatalogStore): Promise<string[]> =>
  (await catalog.readState<string[]>(stateKeys.pausedJobs)) ?? []

/** Whether a job runs only when it is triggered by hand, for now. */
export const isPaused = async (catalog: CatalogStore, name: string): Promise<boolean> =>
  (await readPausedJobs(catalog)).includes(name)
