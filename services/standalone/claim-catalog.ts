import type { Catalog } from '../../shared/ports/catalog.js'
import { type AppError, operatorError } from '../../shared/runtime/errors.js'
import { type ServiceState, stateKeys } from '../../shared/state-keys.js'

/** A catalog that only this process serves. */
export interface Claim {
  /** Publishes the service's URL to other processes. */
  announce(url: string): Promise<void>
  release(): Promise<void>
}

/**
 * Claims the catalog for this process until it ends: no other process may serve it.
 *
 * @param dataDir the data folder, for messages
 * @throws AppError `service_running` with the URL of the other process
 */
export async function claimCatalog(catalog: Catalog, dataDir: string, clock: () => Date): Promise<Claim> {
  const lock = await catalog.lock('service')
  if (lock === null) {
    const other = await catalog.readState<ServiceState>(stateKeys.service)
    throw serviceRunning(dataDir, other)
  }
  const state: ServiceState = { pid: process.pid, url: null, startedAt: clock().toISOString() }
  // Not awaited here: the thread that writes is still starting, and reads need none.
  const written = catalog.writeState(stateKeys.service, state)
  written.catch(() => undefined)
  return {
    announce: async (url) => {
      await written
      await catalog.writeState(stateKeys.service, { ...state, url })
    },
    release: async () => {
      // A URL that stays because the disk is full does no harm: the lock decides whether a service runs.
      await catalog.writeState(stateKeys.service, null).catch(() => undefined)
      await lock.release()
    },
  }
}

/** @param other the service that runs on the folder; null: not known */
export function serviceRunning(dataDir: string, other: ServiceState | null): AppError {
  const where = other === null ? '' : ` (process ${other.pid}${other.url === null ? '' : `, ${other.url}`})`
  return operatorError(
    'service_running',
    `A Skill Catalog already runs on the data folder ${dataDir}${where}. ` +
      'Use that one, stop it, or set DATA_DIR to another folder.',
  )
}
