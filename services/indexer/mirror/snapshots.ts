import { z } from 'zod'
import type { RecordType } from '../../../shared/records/records.js'
import { printableLine } from '../../../shared/text/printable.js'
import { maxRecords } from './mirror.js'

const PathText = z.string().startsWith('/').max(500)

/** The response of `/api/v1/exports`. Other members are ignored. */
export const Snapshots = z.object({
  data: z.array(
    z.object({
      snapshot: z.string().max(100).transform(printableLine),
      generatedAt: z.iso.datetime(),
      changesSince: z.int().min(0).nullable(),
      // Absent in earlier versions.
      manifest: z.object({ path: PathText, signature: PathText.nullable() }).nullish(),
      files: z.array(
        z.object({
          type: z.string(),
          format: z.string(),
          encoding: z.string(),
          path: PathText,
          rows: z.int().min(0).max(maxRecords),
          total: z.int().min(0),
          truncated: z.boolean(),
          bytes: z.int().min(0),
          sha256: z.string().regex(/^[0-9a-f]{64}$/),
        }),
      ),
    }),
  ),
})

/** A snapshot of the source's exports. */
export type Snapshot = z.output<typeof Snapshots>['data'][number]

/** A file of a snapshot, in one type, format and encoding. */
export type SnapshotFile = Snapshot['files'][number]

/** The uncompressed NDJSON file of a type; null when the snapshot has none. */
export const fileOf = ({ files }: Snapshot, type: RecordType): SnapshotFile | null =>
  files.find((file) => file.type === type && file.format === 'ndjson' && file.encoding === 'identity') ?? null

/** Whether the file contains all records of the source. */
export const isWhole = ({ truncated, rows, total }: SnapshotFile): boolean => !truncated && rows >= total
