import type { Readable } from 'node:stream'
import type { RecordType } from '../records/records.js'

export const exportFormats = ['json', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** What is known of one published file. */
export interface ExportFileInfo {
  type: RecordType
  format: ExportFormat
  /** The snapshot it belongs to, for instance `20261121T140000000Z`. */
  snapshot: string
  /** ISO-8601. */
  generatedAt: string
  /** How many records there are in all, and how many of them are in the file. */
  total: number
  count: number
  /** True when `count` < `total`. */
  truncated: boolean
  sizeBytes: number
  /** SHA-256 of the bytes, hex. */
  sha256: string
}

/** A published file, opened: its bytes stay what they are, whatever is published meanwhile. */
export interface OpenedExport {
  info: ExportFileInfo
  /** The bytes. Destroy it to give up early. */
  stream: Readable
}

/** A file to publish: `content` yields its text, piece by piece. */
export interface ExportDraft extends Pick<ExportFileInfo, 'type' | 'format' | 'total' | 'count'> {
  content: AsyncIterable<string> | Iterable<string>
}

/**
 * The published export files: immutable snapshots, all files of one published in a single step.
 *
 * Every method throws AppError `exports_unavailable` (503) when the store does not answer.
 */
export interface ExportStore {
  /**
   * Writes every file of a snapshot, then makes it the current one; a failure at any step leaves the old one current.
   * The three newest snapshots are kept for downloads under way, older ones are dropped.
   *
   * @throws AppError `exports_not_written` when there is no room or no permission
   */
  publish(
    snapshot: string,
    generatedAt: string,
    drafts: Iterable<ExportDraft> | AsyncIterable<ExportDraft>,
  ): Promise<ExportFileInfo[]>

  /** The files of the current snapshot; empty before the first. */
  current(): Promise<ExportFileInfo[]>

  /** Opens a file of the current snapshot; null before the first. */
  open(type: RecordType, format: ExportFormat): Promise<OpenedExport | null>

  close(): Promise<void>
}
