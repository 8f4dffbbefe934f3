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

/** Lets jobs run by themselves again. Returns those of them that were paused, and all that still are. */
export async function resumeJobs(
  catalog: CatalogStore,
  names: string[],
): Promise<{ resumed: string[]; paused: string[] }> {
  const before = await readPausedJobs(catalog)
  const paused = before.filter((name) => !names.includes(name))
  await catalog.writeState(stateKeys.pausedJobs, paused.length === 0 ? null : paused)
  return { resumed: before.filter((name) => names.includes(name)), paused }
}
