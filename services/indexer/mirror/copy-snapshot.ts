import { type RecordType, recordTypes } from '../../../shared/records/records.js'
import { BatchWriter } from '../import/batch-writer.js'
import { type Mirror, rejectRecord, removeOthers, snapshotTypes, withoutCopied, writeMirrorState } from './mirror.js'
import { checkSource } from './read-changes.js'
import { isFileGone, readExport } from './read-export.js'
import { fileOf, findNewestSnapshot, isWhole, notSigned, type Snapshot, type SnapshotFile } from './signed-manifest.js'

/**
 * Writes the records of a snapshot file into the copy.
 *
 * @returns the ids of all records of the file, with those of rejected records that have one
 * @throws AppError as `readExport`
 */
export async function copyExport(mirror: Mirror, type: RecordType, file: SnapshotFile): Promise<Set<string>> {
  const { catalog, counts, display } = mirror
  const before = counts.published[type]
  const writer = new BatchWriter(type, catalog)
  const seen = new Set<string>()
  for await (const exported of readExport(mirror, type, file)) {
    if (exported.id !== null) {
      seen.add(exported.id)
    }
    if ('record' in exported) {
      // What the operator of the copy has hidden stays so: a source has published records only.
      await writer.add(exported.record, exported.sizeBytes, false)
    } else {
      rejectRecord(mirror, `${file.path}, ${exported.place}`, exported)
    }
    display.update(seen.size, file.rows, `${seen.size} ${type}`)
  }
  await writer.flush()
  counts.published[type] = before + writer.counts.added + writer.counts.changed
  return seen
}

/** The files of the source's newest snapshot that the copy contains now. */
export type SnapshotFiles = Partial<Record<RecordType, SnapshotFile>>

/** A copy that follows no changes needs the files: a snapshot may be replaced while it is copied, but not each time. */
const maxAttempts = 3

/**
 * Updates the copy to the source's newest snapshot: prompts and organizations, and skills where the copy follows no
 * changes. Records that the snapshot does not list are removed, but only when its file is not truncated.
 *
 * The computed fields of organizations are not copied: the copy computes them from its own skills.
 *
 * @throws AppError as `readExport`; `snapshot_not_signed`, also when a copy that follows no changes finds no snapshot
 */
export async function copySnapshot(mirror: Mirror): Promise<SnapshotFiles> {
  if (mirror.followsChanges) {
    return (await copyFiles(mirror, await findNewestSnapshot(mirror), snapshotTypes)).files
  }
  for (let attempt = 1; ; attempt += 1) {
    const newest = await findNewestSnapshot(mirror)
    const { files, missing } = await copyFiles(mirror, newest, recordTypes)
    if (missing === null) {
      return files
    }
    if (newest === null || attempt === maxAttempts) {
      throw notSigned(mirror, newest, newest === null ? 'it has published none' : `it has no ${missing}`)
    }
  }
}

/** @returns the files that were copied, and the first type without one */
async function copyFiles(
  mirror: Mirror,
  newest: Snapshot | null,
  types: readonly RecordType[],
): Promise<{ files: SnapshotFiles; missing: RecordType | null }> {
  const files: SnapshotFiles = {}
  for (const type of types) {
    const file = newest === null ? null : fileOf(newest, type)
    if (newest !== null && file !== null && (await copyFile(mirror, type, newest, file))) {
      files[type] = file
    }
  }
  return { files, missing: types.find((type) => files[type] === undefined) ?? null }
}

/** Skills of a snapshot, of which an interrupted run may have copied a part: they follow the changes only from the start. */
const outOfStep = { since: 0, complete: false, stale: true } as const

/** @returns false when the source no longer keeps the file: a newer snapshot has replaced it */
async function copyFile(
  mirror: Mirror,
  type: RecordType,
  { generatedAt, changesSince }: Snapshot,
  file: SnapshotFile,
): Promise<boolean> {
  const { sha256, rows, total } = file
  if (mirror.state.copied[type]?.sha256 !== sha256) {
    const { unidentified } = mirror.counts
    try {
      if (mirror.followsChanges) {
        await checkSource(mirror)
      }
      mirror.state = { ...withoutCopied(mirror.state, type), ...(type === 'skills' ? outOfStep : {}) }
      await writeMirrorState(mirror.catalog, mirror.state)
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
    if (type === 'skills') {
      mirror.counts.from = 'export'
      // Where the copy follows the changes later, it does so from here.
      if (isWhole(file) && changesSince !== null) {
        mirror.state = { ...mirror.state, since: changesSince, complete: true, stale: false }
      }
    }
  }
  const copied = { generatedAt, sha256, rows, total }
  mirror.state = { ...mirror.state, copied: { ...mirror.state.copied, [type]: copied } }
  await writeMirrorState(mirror.catalog, mirror.state)
  return true
}
