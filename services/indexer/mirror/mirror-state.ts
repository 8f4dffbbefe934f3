import { operatorError } from '../../../shared/errors.js'
import type { CatalogStore } from '../../../shared/ports/catalog-store.js'
import { stateKeys } from '../../../shared/state-keys.js'

/** How far a catalog has come in being a copy of another one; kept with it. */
export interface MirrorState {
  /** The address of the source. */
  url: string
  /** Where to go on with the source's changes. */
  since: number
  /** Whether it has everything up to there; false while the first copy, or a new one, is being made. */
  complete: boolean
  /** Whether it may hold what the source does not: then a new copy is made in one go, or begun again. */
  stale: boolean
}

/**
 * The state of a copy, or that of one that begins.
 *
 * @param folder as the operator calls it
 * @throws AppError `folder_not_a_mirror` when it holds something else
 */
export async function readMirrorState(catalog: CatalogStore, url: string, folder: string): Promise<MirrorState> {
  const state = await catalog.readState<MirrorState>(stateKeys.mirror)
  if (state === null && (await catalog.listIds('skills', null, 1)).length > 0) {
    throw operatorError('folder_not_a_mirror', `${folder} holds a catalog of its own. Choose an empty folder.`)
  }
  if (state !== null && state.url !== url) {
    throw operatorError('folder_not_a_mirror', `${folder} is a mirror of ${state.url}. Choose another folder.`)
  }
  return state ?? { url, since: 0, complete: false, stale: false }
}

export async function writeMirrorState(catalog: CatalogStore, state: MirrorState): Promise<void> {
  // Else a service would take a copy of nothing for a new catalog, and fill it.
  await catalog.writeState(stateKeys.sample, { loaded: true })
  await catalog.writeState(stateKeys.mirror, state)
}
