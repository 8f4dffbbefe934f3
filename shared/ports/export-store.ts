import type { Readable } from 'node:stream'
import type { RecordType } from '../records/records.js'

export const exportFormats = ['json', 'csv', 'ndjson'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** How a file's bytes are packed: as they are, or under the name that HTTP gives the packing. */
export const exportEncodings = ['identity', 'br', 'gzip'] as const
export type ExportEncoding = (typeof exportEncodings)[number]

/** What is known of one published file. The same content in another encoding is another file. */
export interface ExportFile {
  type: RecordType
  format: ExportFormat
  encoding: ExportEncoding
  /** How many records there are in all, and how many of them are in the file. */
  total: number
  count: number
  /** True when `count` < `total`. */
  truncated: boolean
  /** Of the bytes as they are kept, packed or not. */
  sizeBytes: number
  /** SHA-256 of those bytes, hex. */
  sha256: string
}

/** Which moment of the catalog the files of a snapshot show. */
export interface SnapshotMoment {
  /** Its name, for instance `20261121T140000000Z`. */
  snapshot: string
  /** ISO-8601. */
  generatedAt: string
  /**
   * The sequence of the last change that was known before the first record was read: whoever follows the changes from
   * there misses none. Null: not known.
   */
  changesSince: number | null
}

/** A published snapshot: files that never change, all of the same moment. */
export interface ExportSnapshot extends SnapshotMoment {
  files: ExportFile[]
}

/** A file to publish: `content` yields its bytes, piece by piece. */
export interface ExportDraft extends Pick<ExportFile, 'type' | 'format' | 'encoding' | 'total' | 'count'> {
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Some bytes of a file, counted from 0, the last one included. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * The published export files: immutable snapshots, all files of one published in a single step.
 *
 * Every method throws AppError `exports_unavailable` (503) when the store does not answer.
 */
export interface ExportStore {
  /**
   * Writes every file of a snapshot, then makes it the current one; a failure at any step leaves the old one current.
   * The three newest snapshots are kept, older ones are dropped; what is being read stays readable to its end.
   *
   * @throws AppError `exports_not_written` when there is no room or no permission
   */
  publish(moment: SnapshotMoment, drafts: Iterable<ExportDraft> | AsyncIterable<ExportDraft>): Promise<ExportSnapshot>

  /** The snapshots that are kept, the current one first; none before the first. */
  snapshots(): Promise<ExportSnapshot[]>

  /**
   * Opens a file of a kept snapshot by the hash of its bytes.
   *
   * @param range within the file; null: all of it
   * @returns the bytes, which stay what they are whatever is published meanwhile; destroy it to give up early. Null
   * when no kept snapshot has such a file
   */
  open(sha256: string, range: ByteRange | null): Promise<Readable | null>

  close(): Promise<void>
}
