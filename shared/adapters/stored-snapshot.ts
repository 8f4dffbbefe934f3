import { z } from 'zod'
import { type ExportFile, type ExportSnapshot, exportEncodings, exportFormats } from '../ports/export-store.js'
import { Timestamp } from '../records/fields.js'
import { recordTypes } from '../records/records.js'

/** How many snapshots stay, for downloads that ask again after a break. */
export const keptSnapshots = 3

/** A published file as manifests keep it; each store adds where its bytes are. */
export const StoredFile = z.object({
  type: z.enum(recordTypes),
  format: z.enum(exportFormats),
  /** Manifests of earlier versions know of no other encoding. */
  encoding: z.enum(exportEncodings).default('identity'),
  total: z.int().min(0),
  count: z.int().min(0),
  sizeBytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
type StoredFile = z.infer<typeof StoredFile>

/** A published snapshot as manifests keep it, without its files. */
export const StoredMoment = z.object({
  snapshot: z.string(),
  generatedAt: Timestamp,
  changesSince: z.int().min(0).nullable().default(null),
})
type StoredMoment = z.infer<typeof StoredMoment>

/** What the port tells of a stored snapshot: nothing of where it is kept. */
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
