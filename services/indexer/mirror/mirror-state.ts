import { operatorError } from '../../../shared/errors.js'
import type { CatalogStore } from '../../../shared/ports/catalog-store.js'
import { recordTypes } from '../../../shared/records/records.js'
import { stateKeys } from '../../../shared/state-keys.js'

/** The types that are copied from snapshots: only skills have a change feed. */
export const snapshotTypes = ['prompts', 'organizations'] as const
export type SnapshotType = (typeof snapshotTypes)[number]

/** The progress of a catalog that is a copy of another one; kept with it. */
export interface MirrorState {
  /** The address of the source. */
  url: string
  /** The position in the source's changes from which the next run continues. */
  since: number
  /** Whether the copy has all skills up to there; false while the first copy, or another one, is being made. */
  complete: boolean
  /** Whether it may hold skills that the source has not: then a new copy is made in one run, or begun again. */
  stale: boolean
  /** The file that was copied last, by type; absent before the first one. */
  copied: Partial<Record<SnapshotType, CopiedFile>>
}

/** A file of a snapshot that was copied whole. */
interface CopiedFile {
  /** When the snapshot was made; ISO-8601. */
  generatedAt: string
  sha256: string
  /** Records in the file. */
  rows: number
  /** Records that the source had. */
  total: number
}

/** The state of a copy that begins. */
export const emptyState = (url: string): MirrorState => ({
  url,
  since: 0,
  complete: false,
  stale: false,
  copied: {},
})

/**
 * The state of a copy, or that of one that begins.
 *
 * @param folder as the operator names it
 * @throws AppError `folder_not_a_mirror` when it holds something else
 */
export async function readMirrorState(catalog: CatalogStore, url: string, folder: string): Promise<MirrorState> {
  const state = await catalog.readState<MirrorState>(stateKeys.mirror)
  if (state === null && !(await isEmpty(catalog))) {
    throw operatorError('folder_not_a_mirror', `${folder} holds a catalog of its own. Choose an empty folder.`)
  }
  if (state !== null && state.url !== url) {
    throw operatorError('folder_not_a_mirror', `${folder} is a mirror of ${state.url}. Choose another folder.`)
  }
  // A state from before prompts and organizations were copied has no `copied`.
  return { ...emptyState(url), ...state }
}

async function isEmpty(catalog: CatalogStore): Promise<boolean> {
  const ids = await Promise.all(recordTypes.map((type) => catalog.listIds(type, null, 1)))
  return ids.flat().length === 0
}

export async function writeMirrorState(catalog: CatalogStore, state: MirrorState): Promise<void> {
  // Otherwise a service would take a copy of nothing for a new catalog, and fill it.
  await catalog.writeState(stateKeys.sample, { loaded: true })
  await catalog.writeState(stateKeys.mirror, state)
}
