import type { RecordType } from '../../../shared/records/records.js'
import { BatchWriter } from '../import/batch-writer.js'
import { type Mirror, rejectRecord } from './mirror.js'
import { readExport } from './read-export.js'
import type { SnapshotFile } from './snapshots.js'

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
      await writer.add(exported.record, exported.sizeBytes)
    } else {
      rejectRecord(mirror, `${file.path}, ${exported.place}`, exported)
    }
    display.update(seen.size, file.rows, `${seen.size} ${type}`)
  }
  await writer.flush()
  counts.published[type] = before + writer.counts.added + writer.counts.changed
  return seen
}
