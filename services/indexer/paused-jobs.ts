import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import { stateKeys } from '../../shared/state-keys.js'

/** Names of the jobs whose schedule is paused: kept with the catalog, whatever runs the jobs. */
export const readPausedJobs = async (catalog: Pick<CatalogStore, 'readState'>): Promise<string[]> =>
  (await catalog.readState<string[]>(stateKeys.pausedJobs)) ?? []
