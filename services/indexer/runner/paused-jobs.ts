import type { StateStore } from '../../../shared/ports/state-store.js'
import { stateKeys } from '../../../shared/state-keys.js'

/** Names of the jobs whose schedule is paused: stored with the catalog, for all processes that run jobs. */
export const readPausedJobs = async (catalog: Pick<StateStore, 'readState'>): Promise<string[]> =>
  (await catalog.readState<string[]>(stateKeys.pausedJobs)) ?? []

/** Whether the schedule of a job is paused, so that it runs only when triggered. */
export const isPaused = async (catalog: Pick<StateStore, 'readState'>, name: string): Promise<boolean> =>
  (await readPausedJobs(catalog)).includes(name)

/** Pauses the schedules of jobs. Returns the names of all paused jobs. */
export async function pauseJobs(catalog: StateStore, names: string[]): Promise<string[]> {
  const paused = [...new Set([...(await readPausedJobs(catalog)), ...names])]
  await catalog.writeState(stateKeys.pausedJobs, paused)
  return paused
}

/** Resumes the schedules of jobs. Returns the names of the resumed jobs, and of those still paused. */
export async function resumeJobs(
  catalog: StateStore,
  names: string[],
): Promise<{ resumed: string[]; paused: string[] }> {
  const before = await readPausedJobs(catalog)
  const paused = before.filter((name) => !names.includes(name))
  await catalog.writeState(stateKeys.pausedJobs, paused.length === 0 ? null : paused)
  return { resumed: before.filter((name) => names.includes(name)), paused }
}
