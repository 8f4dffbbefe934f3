import { z } from 'zod'
import {
  datasetFormats,
  type ExportFile,
  type ExportSnapshot,
  exportEncodings,
  exportFormats,
} from '../../../shared/ports/export-store.js'
import { dataLicense, recordTypes } from '../../../shared/records/records.js'
import { exportPath, manifestPath, signaturePath } from '../exports/export-download.js'
import { endpoint } from '../request/endpoint.js'

const SnapshotFile = z.object({
  type: z.enum(recordTypes),
  format: z.enum(exportFormats),
  encoding: z.enum(exportEncodings).describe('the value for Accept-Encoding; the path is the same for all encodings'),
  path: z.string(),
  rows: z.int().describe('records in the file'),
  total: z.int().describe('records in the catalog at the time of the snapshot'),
  truncated: z.boolean().describe('whether the file holds fewer records than the catalog'),
  bytes: z.int().describe('size of the file in this encoding'),
  sha256: z.string().describe('SHA-256 of these bytes, hex; also the ETag of the download'),
})

const DatasetFile = SnapshotFile.extend({
  type: z.enum([...recordTypes, 'catalog']).describe('catalog: the records of all types'),
  format: z.enum(datasetFormats),
})

const SnapshotEntry = z.object({
  snapshot: z.string(),
  generatedAt: z.string(),
  license: z.string(),
  licenseUrl: z.string(),
  changesSince: z
    .int()
    .nullable()
    .describe(
      'the value of since with which /api/v1/changes continues from this snapshot; null: unknown, read the changes from the start',
    ),
  manifest: z
    .object({
      path: z.string().describe('the list of the files with their digests, for a copy of the snapshot'),
      signature: z.string().nullable().describe('the path of its minisign signature; null: it is not signed'),
      publicKey: z.string().nullable().describe('the key that minisign -P takes to check it; null: it is not signed'),
    })
    .nullable()
    .describe('null: a snapshot of an earlier version, without a manifest'),
})

/** GET /api/v1/exports: the snapshots that are kept, with their files. */
export const exportSnapshots = endpoint({
  name: 'export-snapshots',
  path: '/api/v1/exports',
  summary: 'The snapshots of the exports, with the size and hash of every file',
  docs: {
    tag: 'Catalog',
    description:
      'For clients that keep a copy: compare the newest snapshot with your own, download its files and check their hashes.',
    errors: ['exports_unavailable'],
  },
  params: z.object({}),
  query: z.object({}),
  response: z.object({
    data: z
      .array(SnapshotEntry.extend({ files: z.array(SnapshotFile) }))
      .describe('newest first; empty until the first is written'),
    datasets: z
      .array(SnapshotEntry.extend({ files: z.array(DatasetFile) }))
      .describe('snapshots with every record, as Parquet and SQLite; newest first; empty until the first is written'),
  }),
  limits: ['default'],
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle(_, { exports, datasets, requestExport }) {
    const snapshots = await exports.snapshots()
    if (snapshots.length === 0) {
      requestExport()
    }
    return {
      body: {
        data: snapshots.map((snapshot) => entryOf(snapshot, SnapshotFile)),
        datasets: (await datasets.snapshots()).map((snapshot) => entryOf(snapshot, DatasetFile)),
      },
    }
  },
})

/** @param schema of the files; others are left out */
function entryOf<File>(
  { snapshot, generatedAt, changesSince, manifest, files }: ExportSnapshot,
  schema: z.ZodType<File>,
) {
  return {
    snapshot,
    generatedAt,
    ...dataLicense,
    changesSince,
    manifest:
      manifest === null
        ? null
        : {
            path: manifestPath(snapshot),
            signature: manifest.signature === null ? null : signaturePath(snapshot),
            publicKey: manifest.publicKey,
          },
    files: files.flatMap((file): File[] => {
      const listed = schema.safeParse(fileOf(snapshot, file))
      return listed.success ? [listed.data] : []
    }),
  }
}

const fileOf = (
  snapshot: string,
  { type, format, encoding, total, count, truncated, sizeBytes, sha256 }: ExportFile,
) => ({
  type,
  format,
  encoding,
  path: exportPath(snapshot, { type, format }),
  rows: count,
  total,
  truncated,
  bytes: sizeBytes,
  sha256,
})
