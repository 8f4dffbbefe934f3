import { operatorError } from '../../shared/errors.js'
import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import { type ServiceState, stateKeys } from '../../shared/state-keys.js'

/** A catalog that this process serves, and no other. */
export interface Claim {
  /** Tells others where this service answers. */
  announce(url: string): Promise<void>
  release(): Promise<void>
}

/**
 * Makes this process the one that serves a catalog, until it ends.
 *
 * @param dataDir how the catalog is named to the operator
 * @throws AppError `service_running` that names the process which has it
 */
export async function claimCatalog(catalog: CatalogStore, dataDir: string, clock: () => Date): Promise<Claim> {
  const lock = await catalog.lock('service')
  if (lock === null) {
    const other = await catalog.readState<ServiceState>(stateKeys.service)
    const where = other === null ? '' : ` (process ${other.pid}${other.url === null ? '' : `, ${other.url}`})`
    throw operatorError(
      'service_running',
      `A Skill Catalog is running on the data folder ${dataDir} already${where}. ` +
        'Use that one, end it, or set DATA_DIR to another folder.',
    )
  }
  const state: ServiceState = { pid: process.pid, url: null, startedAt: clock().toISOString() }
  await catalog.writeState(stateKeys.service, state)
  return {
    announce: (url) => catalog.writeState(stateKeys.service, { ...state, url }),
    release: async () => {
      // What cannot be taken back on a full disk misleads nobody: it is the lock that tells whether a service runs.
      await catalog.writeState(stateKeys.service, null).catch(() => undefined)
      await lock.release()
    },
  }
}
