import { copyExport } from './copy-export.js'
import { findNewestSnapshot } from './find-newest-snapshot.js'
import { type Mirror, removeOthers } from './mirror.js'
import { type SnapshotType, snapshotTypes, writeMirrorState } from './mirror-state.js'
import { isFileGone } from './read-export.js'
import { fileOf, isWhole, type Snapshot, type SnapshotFile } from './snapshots.js'

/** The files of the source's newest snapshot that the copy contains now. */
export type SnapshotFiles = Partial<Record<SnapshotType, SnapshotFile>>

/**
 * Updates the prompts and organizations of the copy to the source's newest snapshot. Records that the snapshot does not
 * list are removed, but only when its file is not truncated.
 *
 * The computed fields of organizations are not copied: the copy computes them from its own skills.
 *
 * @throws AppError as `readExport`
 */
export async function copySnapshot(mirror: Mirror): Promise<SnapshotFiles> {
  const newest = await findNewestSnapshot(mirror)
  const files: SnapshotFiles = {}
  for (const type of snapshotTypes) {
    const file = newest === null ? null : fileOf(newest, type)
    if (newest !== null && file !== null && (await copyFile(mirror, type, newest, file))) {
      files[type] = file
    }
  }
  return files
}

/** @returns false when the source no longer keeps the file: a newer snapshot has replaced it */
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
