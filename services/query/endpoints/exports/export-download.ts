import type {
  ByteRange,
  ExportEncoding,
  ExportFile,
  ExportSnapshot,
  ExportStore,
  FileFormat,
} from '../../../../shared/ports/export-store.js'
import { tryAgain } from '../../../../shared/runtime/errors.js'
import type { Download, Representation } from '../../request/download.js'
import { exportFileGone, unknownExportFile } from '../../request/problems.js'
import type { ContentEncoding } from '../../request/sendable-text.js'

const contentTypes: Record<FileFormat, string> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  sqlite: 'application/vnd.sqlite3',
}

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

/** The HTTP names of the files' encodings, the smallest first. */
const encodings: [ExportEncoding, ContentEncoding | null][] = [
  ['identity', null],
  ['br', 'br'],
  ['gzip', 'gzip'],
]

/** Any file of a snapshot, in any encoding. */
export type FileName = Pick<ExportFile, 'type' | 'format'>

/** The path of a file in a snapshot, valid while the snapshot is kept. */
export const exportPath = (snapshot: string, { type, format }: FileName): string =>
  `/api/v1/exports/${snapshot}/${type}.${format}`

/**
 * A file of a snapshot as a download, in all of its encodings.
 *
 * @returns null when the snapshot has no such file
 */
export function exportDownload(
  { snapshot, generatedAt, files }: ExportSnapshot,
  { type, format }: FileName,
  exports: Pick<ExportStore, 'open'>,
): Download | null {
  const named = files.filter((file) => file.type === type && file.format === format)
  const open = async (sha256: string, range: ByteRange | null) => {
    const stream = await exports.open(sha256, range)
    if (stream === null) {
      throw exportNotReady()
    }
    return stream
  }
  const [plain, ...packed] = encodings.flatMap(([stored, encoding]): Representation[] =>
    named
      .filter((file) => file.encoding === stored)
      .map(({ sizeBytes, sha256 }) => ({ encoding, sizeBytes, sha256, open: (range) => open(sha256, range) })),
  )
  const [described] = named
  if (plain?.encoding !== null || described === undefined) {
    return null
  }
  return {
    previous: null,
    lastModified: new Date(generatedAt),
    headers: {
      'Content-Type': contentTypes[format],
      'Content-Disposition': `attachment; filename="${type}-${generatedAt.slice(0, 10)}.${format}"`,
      'Content-Location': exportPath(snapshot, { type, format }),
      'X-Total-Count': String(described.total),
      'X-Export-Count': String(described.count),
      'X-Export-Truncated': String(described.truncated),
    },
    representations: [plain, ...packed],
  }
}

/** 503: no snapshot has been published yet, or the last one is being replaced. */
export const exportNotReady = () => tryAgain('export_not_ready', 'The files are being written.', 10)

/** A year: the bytes never change. */
export const immutableCache = { maxAgeSeconds: 31_536_000, immutable: true } as const
