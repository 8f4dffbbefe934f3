import { z } from 'zod'
import { exportEncodings, exportFormats } from '../../../shared/ports/export-store.js'
import { dataLicense } from '../../../shared/records/data-license.js'
import { recordTypes } from '../../../shared/records/records.js'
import { exportPath } from '../exports/export-download.js'
import { endpoint } from '../http/endpoint.js'

const ExportFile = z.object({
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
      .array(
        z.object({
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
          files: z.array(ExportFile),
        }),
      )
      .describe('newest first; empty until the first is written'),
  }),
  limits: ['default'],
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle(_, { exports, requestExport }) {
    const snapshots = await exports.snapshots()
    if (snapshots.length === 0) {
      requestExport()
    }
    return {
      body: {
        data: snapshots.map(({ snapshot, generatedAt, changesSince, files }) => ({
          snapshot,
          generatedAt,
          ...dataLicense,
          changesSince,
          files: files.map(({ type, format, encoding, total, count, truncated, sizeBytes, sha256 }) => ({
            type,
            format,
            encoding,
            path: exportPath(snapshot, { type, format }),
            rows: count,
            total,
            truncated,
            bytes: sizeBytes,
            sha256,
          })),
        })),
      },
    }
  },
})
