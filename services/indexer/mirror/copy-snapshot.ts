import { copyExport } from './copy-export.js'
import { type Mirror, removeOthers } from './mirror.js'
import { type SnapshotType, snapshotTypes, writeMirrorState } from './mirror-state.js'
import { isFileGone } from './read-export.js'
import { fileOf, findNewestSnapshot, isWhole, type Snapshot, type SnapshotFile } from './snapshots.js'

/** The files that the copy holds now, of the source's newest snapshot. */
export type SnapshotFiles = Partial<Record<SnapshotType, SnapshotFile>>

/**
 * Brings the prompts and organizations of the copy to the state of the source's newest snapshot. What the snapshot does
 * not list is removed, but only when its file holds all records of the source.
 *
 * Of organizations only the fields that are stored are copied: the copy computes the others from its own skills.
 *
 * @throws AppError as `readExport`
 */
export async function copySnapshot(mirror: Mirror): Promise<SnapshotFiles> {
  const newest = await findNewestSnapshot(mirror.source)
  const files: SnapshotFiles = {}
  for (const type of snapshotTypes) {
    const file = newest === null ? null : fileOf(newest, type)
    if (newest !== null && file !== null && (await copyFile(mirror, type, newest, file))) {
      files[type] = file
    }
  }
  return files
}

/** @returns false when the source does not keep the file any more: the next snapshot is there already */
async function copyFile(
  mirror: Mirror,
  type: SnapshotType,
  { generatedAt }: Snapshot,
  file: SnapshotFile,
): Promise<boolean> {
  const { sha256, rows, total } = file
  if (mirror.state.copied[type]?.sha256 !== sha256) {
    const { unidentified } = mirror.counts
    try {
      const seen = await copyExport(mirror, type, file)
      if (isWhole(file)) {
        await removeOthers(mirror, type, seen, unidentified)
      }
    } catch (error) {
      if (isFileGone(error)) {
        return false
      }
      throw error
    }
  }
  const copied = { generatedAt, sha256, rows, total }
  mirror.state = { ...mirror.state, copied: { ...mirror.state.copied, [type]: copied } }
  await writeMirrorState(mirror.catalog, mirror.state)
  return true
}
