import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../shared/errors.js'
import type { CatalogStore, Lock } from '../../shared/ports/catalog-store.js'

/** How often a lock that is held is asked for again. */
const retryMs = 50

/**
 * Takes a lock that another may hold for a while.
 *
 * @param waitMs how long to ask for it
 * @throws AppError `job_running` when it stays held
 */
export async function waitForLock(
  catalog: CatalogStore,
  name: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<Lock> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const lock = await catalog.lock(name)
    if (lock !== null) {
      return lock
    }
    if (performance.now() > deadline) {
      throw jobRunning(name)
    }
    await sleep(retryMs, undefined, { signal })
  }
}

/** 409: a job of this name is under way, here or in another process on the same catalog. */
export const jobRunning = (name: string): AppError =>
  new AppError(409, 'job_running', `${name} is running already on this catalog. Wait for it to end, then try again.`)
