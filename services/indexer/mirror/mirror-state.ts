import type { Catalog } from '../../../shared/ports/catalog.js'
import { type RecordType, recordTypes } from '../../../shared/records/records.js'
import { operatorError } from '../../../shared/runtime/errors.js'
import { stateKeys } from '../../../shared/state-keys.js'

/** The types without a change feed. They always come from snapshots. */
export const snapshotTypes = ['prompts', 'organizations'] as const

/** The progress of a mirror, stored in its catalog. */
export interface MirrorState {
  /** The address of the source. */
  url: string
  /** Which catalog it is, see `LogBounds`; null: it does not say so. */
  catalog: string | null
  /** The position in the source's changes after which the next run continues. */
  since: number
  /** Whether the copy has all skills up to that position; false until a copy from the start is complete. */
  complete: boolean
  /** Whether it may contain skills that the source has removed: an interrupted copy then starts again. */
  stale: boolean
  /** The last copied file by type; absent before the first one. */
  copied: Partial<Record<RecordType, CopiedFile>>
}

/** A snapshot file that was copied completely. */
interface CopiedFile {
  /** Of the snapshot; ISO-8601. */
  generatedAt: string
  /** Empty while the copy may have other records of this type. */
  sha256: string
  /** Records in the file. */
  rows: number
  /** Records at the source. */
  total: number
}

/** The state of a new mirror. */
export const emptyState = (url: string): MirrorState => ({
  url,
  catalog: null,
  since: 0,
  complete: false,
  stale: false,
  copied: {},
})

/**
 * The stored state of a mirror, or that of a new one.
 *
 * @param folder as given by the operator, for messages
 * @throws AppError `folder_not_a_mirror` when the folder contains another catalog
 */
export async function readMirrorState(catalog: Catalog, url: string, folder: string): Promise<MirrorState> {
  const state = await catalog.readState<MirrorState>(stateKeys.mirror)
  if (state === null && !(await isEmpty(catalog))) {
    throw operatorError('folder_not_a_mirror', `${folder} contains another catalog. Choose an empty folder.`)
  }
  if (state !== null && state.url !== url) {
    throw operatorError('folder_not_a_mirror', `${folder} is a mirror of ${state.url}. Choose another folder.`)
  }
  // Earlier versions did not copy prompts and organizations: their state has no `copied`.
  return { ...emptyState(url), ...state }
}

async function isEmpty(catalog: Catalog): Promise<boolean> {
  const ids = await Promise.all(recordTypes.map((type) => catalog.listIds(type, null, 1)))
  return ids.flat().length === 0
}

/** The state of a copy whose records of a type are no longer those of the last copied file. */
export function withoutCopied(state: MirrorState, type: RecordType): MirrorState {
  const copied = state.copied[type]
  return copied === undefined ? state : { ...state, copied: { ...state.copied, [type]: { ...copied, sha256: '' } } }
}

export async function writeMirrorState(catalog: Catalog, state: MirrorState): Promise<void> {
  await catalog.writeState(stateKeys.mirror, state)
}
