import type { Readable } from 'node:stream'
import type { RecordType } from '../records/records.js'
import type { Lock } from './locks.js'

export const exportFormats = ['json', 'csv', 'ndjson'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** Formats of the files that hold every record, however many there are. */
export const datasetFormats = ['parquet', 'sqlite'] as const

/** The format of a published file. */
export type FileFormat = ExportFormat | (typeof datasetFormats)[number]

/** The records in a published file: of one type, or the whole catalog. */
type FileContent = RecordType | 'catalog'

/** Content codings of export files, by their names in HTTP. */
export const exportEncodings = ['identity', 'br', 'gzip'] as const
export type ExportEncoding = (typeof exportEncodings)[number]

/** One published file. The same content in another encoding is another file. */
export interface ExportFile {
  type: FileContent
  format: FileFormat
  encoding: ExportEncoding
  /** The number of records in the catalog; `count` is the number in the file. */
  total: number
  count: number
  /** True when `count` < `total`. */
  truncated: boolean
  /** Size of the stored bytes, compressed or not. */
  sizeBytes: number
  /** SHA-256 of those bytes, hex. */
  sha256: string
}

/** The moment of the catalog that the files of a snapshot show. */
export interface SnapshotMoment {
  /** Its name, for instance `20261121T140000000Z`. */
  snapshot: string
  /** ISO-8601. */
  generatedAt: string
  /**
   * The sequence of the last change before the first record was read: a reader that follows the changes from there
   * misses none. Null: not known.
   */
  changesSince: number | null
}

/** The manifest of a snapshot: the list of its files, as clients get it. */
export interface SnapshotManifest {
  /** JSON. */
  text: string
  /** The `.minisig` file of the text; null: it is not signed. */
  signature: string | null
  /** The public key of minisign by which to check it; null: it is not signed. */
  publicKey: string | null
}

/** A published snapshot: files that never change, all of the same moment. */
export interface ExportSnapshot extends SnapshotMoment {
  files: ExportFile[]
  /** Null in snapshots of earlier versions. */
  manifest: SnapshotManifest | null
}

/** A file to publish: `content` yields its bytes in chunks. */
export interface ExportDraft extends Pick<ExportFile, 'type' | 'format' | 'encoding' | 'total' | 'count'> {
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** A byte range of a file, from 0; `end` is inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * The published export files: immutable snapshots, each published in a single step.
 *
 * Every method throws AppError `exports_unavailable` (503) when the store does not answer.
 */
export interface ExportStore {
  /**
   * Writes every file of a snapshot, then makes it the current one; a failure at any step leaves the old one current.
   * The newest snapshots are kept, and others that were current a short time ago, see `Retention`; older ones are dropped.
   * Open files stay readable to their end.
   *
   * @param describe makes the manifest from the written files; absent: the snapshot has none
   * @throws AppError `exports_not_written` when there is no room or no permission; `lock_lost` (409) when a later holder
   * of the lock has published
   */
  publish(
    moment: SnapshotMoment,
    drafts: Iterable<ExportDraft> | AsyncIterable<ExportDraft>,
    lock: Lock,
    describe?: (files: ExportFile[]) => SnapshotManifest,
  ): Promise<ExportSnapshot>

  /**
   * The snapshots that are kept, the current one first; none before the first.
   *
   * @param named one that another process may have published a moment ago: a copy of the list, when all in it are older, is
   * read again
   */
  snapshots(named?: string): Promise<ExportSnapshot[]>

  /**
   * Opens a file of a kept snapshot by the hash of its bytes.
   *
   * @param range within the file; null: all of it
   * @returns the bytes, which later snapshots do not change; destroy the stream to stop early. Null when no kept
   * snapshot has such a file
   */
  open(sha256: string, range: ByteRange | null): Promise<Readable | null>

  close(): Promise<void>
}
