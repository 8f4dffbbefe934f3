import { z } from 'zod'
import type { RecordType } from '../../../shared/records/records.js'
import { maxRecords } from './mirror.js'
import type { SourceCatalog } from './source-catalog.js'

/** Other members of the response are ignored. */
const Snapshots = z.object({
  data: z.array(
    z.object({
      snapshot: z.string().max(100),
      generatedAt: z.iso.datetime(),
      changesSince: z.int().min(0).nullable(),
      files: z.array(
        z.object({
          type: z.string(),
          format: z.string(),
          encoding: z.string(),
          path: z.string().startsWith('/').max(500),
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

/** The newest snapshot of the source; null before it has published one. */
export async function findNewestSnapshot(source: SourceCatalog): Promise<Snapshot | null> {
  const { data } = await source.get('/api/v1/exports', Snapshots)
  return data[0] ?? null
}

/** The uncompressed NDJSON file of a type; null when the snapshot has none. */
export const fileOf = ({ files }: Snapshot, type: RecordType): SnapshotFile | null =>
  files.find((file) => file.type === type && file.format === 'ndjson' && file.encoding === 'identity') ?? null

/** Whether the file contains all records of the source. */
export const isWhole = ({ truncated, rows, total }: SnapshotFile): boolean => !truncated && rows >= total
