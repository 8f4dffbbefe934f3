import type { ExportSnapshot } from '../../../shared/ports/export-store.js'
import { exportFileGone, unknownExportFile } from '../problems/errors.js'

/** The pattern of a snapshot's name: the time at which it was made. */
export const snapshotName = /^\d{8}T\d{9}Z$/

/** The same of a dataset. */
export const datasetName = /^\d{8}T\d{9}Z-dataset$/

/** Whether the name is that of an existing time. Names sort by time. */
function isSnapshotTime(name: string): boolean {
  const iso = name.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z(-dataset)?$/, '$1-$2-$3T$4:$5:$6.$7Z')
  const date = new Date(iso)
  return !Number.isNaN(date.getTime()) && date.toISOString() === iso
}

/**
 * The kept snapshot of a name.
 *
 * @param pattern of the names of such snapshots
 * @param current the path of the same file in its current version, for the error
 * @throws AppError `export_unknown` (404) when no such snapshot can have existed, `export_gone` (410) when it may have
 * existed and has been deleted
 */
export function findSnapshot(
  snapshots: ExportSnapshot[],
  name: string,
  pattern: RegExp,
  current: string,
): ExportSnapshot {
  if (!pattern.test(name) || !isSnapshotTime(name) || snapshots.every(({ snapshot }) => snapshot < name)) {
    throw unknownExportFile()
  }
  const snapshot = snapshots.find((kept) => kept.snapshot === name)
  if (snapshot === undefined) {
    throw exportFileGone(name, current)
  }
  return snapshot
}
