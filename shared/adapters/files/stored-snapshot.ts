import { z } from 'zod'
import {
  datasetFormats,
  type ExportFile,
  type ExportSnapshot,
  exportEncodings,
  exportFormats,
  type SnapshotManifest,
} from '../../ports/export-store.js'
import { recordTypes } from '../../records/records.js'
import { Timestamp } from '../../records/schemas.js'

/** Which snapshots are kept, for downloads that resume. */
export interface Retention {
  /** The newest ones, however old. */
  newest: number
  /** Further ones for so many milliseconds after a newer one has taken their place. */
  forMs: number
  /** The maximum number of all snapshots. */
  max: number
}

/** Every import publishes one: several small ones in an hour leave time to complete a download. */
export const keptSnapshots: Retention = { newest: 3, forMs: 3_600_000, max: 12 }

/** Files of datasets may have gigabytes. */
export const keptDatasets: Retention = { newest: 2, forMs: 0, max: 2 }

/**
 * The snapshots to keep. Of too many, those go first that were the current one for the shortest time: few downloads have
 * begun then.
 *
 * @param snapshots the one to be published first, then the others from the newest
 */
export function keptOf<Moment extends { generatedAt: string }>(
  snapshots: Moment[],
  { newest, forMs, max }: Retention,
): Moment[] {
  const timeOf = (place: number) => Date.parse(snapshots[place]?.generatedAt ?? '')
  const currentForMs = (place: number) => timeOf(place - 1) - timeOf(place)
  const recent = [...snapshots.keys()].filter((place) => place >= newest && timeOf(0) - timeOf(place - 1) < forMs)
  const longest = recent.sort((a, b) => currentForMs(b) - currentForMs(a)).slice(0, max - newest)
  return snapshots.filter((_, place) => place < newest || longest.includes(place))
}

/** A published file as in the manifest; each store adds the location of its bytes. */
export const StoredFile = z.object({
  type: z.enum([...recordTypes, 'catalog']),
  format: z.enum([...exportFormats, ...datasetFormats]),
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
  /** Snapshots of earlier versions have no manifest. */
  manifest: z
    .object({ text: z.string(), signature: z.string().nullable(), publicKey: z.string().nullable() })
    .nullable()
    .default(null),
})
type StoredMoment = z.infer<typeof StoredMoment>

/** A stored snapshot as the port returns it, without the location of its files. */
export const toSnapshot = ({
  snapshot,
  generatedAt,
  changesSince,
  manifest,
  files,
}: StoredMoment & { files: StoredFile[] }): ExportSnapshot => ({
  snapshot,
  generatedAt,
  changesSince,
  files: files.map(toFile),
  manifest,
})

/** A snapshot to store: its moment, its files with their locations, and the manifest of both. */
export function newSnapshot<File extends StoredFile>(
  moment: Omit<StoredMoment, 'manifest'>,
  files: File[],
  describe: ((files: ExportFile[]) => SnapshotManifest) | undefined,
): StoredMoment & { files: File[] } {
  return { ...moment, files, manifest: describe?.(files.map(toFile)) ?? null }
}

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
