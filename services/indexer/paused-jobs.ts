import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import { stateKeys } from '../../shared/state-keys.js'

/** Names of the jobs whose schedule is paused: kept with the catalog, whatever runs the jobs. */
export const readPausedJobs = async (catalog: CatalogStore): Promise<string[]> =>
  (await catalog.readState<string[]>(stateKeys.pausedJobs)) ?? []

/** Whether a job runs only when it is triggered by hand, for now. */
export const isPaused = async (catalog: CatalogStore, name: string): Promise<boolean> =>
  (await readPausedJobs(catalog)).includes(name)

/** Lets jobs run no more by themselves. Returns all that are paused now. */
export async function pauseJobs(catalog: CatalogStore, names: string[]): Promise<string[]> {
  const paused = [...new Set([...(await readPausedJobs(catalog)), ...names])]
  await catalog.writeState(stateKeys.pausedJobs, paused)
  return paused
}

/** Lets jobs run by themselves again. Returns all that are still paused. */
export async function resumeJobs(catalog: CatalogStore, names: string[]): Promise<string[]> {
  const paused = (await readPausedJobs(catalog)).filter((name) => !names.includes(name))
  await catalog.writeState(stateKeys.pausedJobs, paused.length === 0 ? null : paused)
  return paused
}
