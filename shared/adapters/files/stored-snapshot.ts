import { z } from 'zod'
import { type ExportFile, type ExportSnapshot, exportEncodings, exportFormats } from '../../ports/export-store.js'
import { Timestamp } from '../../records/fields.js'
import { recordTypes } from '../../records/records.js'

/** Snapshots that are kept, for downloads that resume. */
export const keptSnapshots = 3

/** A published file as in the manifest; each store adds the location of its bytes. */
export const StoredFile = z.object({
  type: z.enum(recordTypes),
  format: z.enum(exportFormats),
  /** Manifests of earlier versions have no encodings. */
  encoding: z.enum(exportEncodings).default('identity'),
  total: z.int().min(0),
  count: z.int().min(0),
  sizeBytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
type StoredFile = z.infer<typeof StoredFile>

/** A published snapshot as in the manifest, without its files. */
export const StoredMoment = z.object({
  snapshot: z.string(),
  generatedAt: Timestamp,
  changesSince: z.int().min(0).nullable().default(null),
})
type StoredMoment = z.infer<typeof StoredMoment>

/** A stored snapshot as the port returns it, without the location of its files. */
export const toSnapshot = ({
  snapshot,
  generatedAt,
  changesSince,
  files,
}: StoredMoment & { files: StoredFile[] }): ExportSnapshot => ({
  snapshot,
  generatedAt,
  changesSince,
  files: files.map(toFile),
})

const toFile = ({ type, format, encoding, total, count, sizeBytes, sha256 }: StoredFile): ExportFile => ({
  type,
  format,
  encoding,
  total,
  count,
  truncated: count < total,
  sizeBytes,
  sha256,
})
