import { z } from 'zod'
import { exportEncodings, exportFormats } from '../../../shared/ports/export-store.js'
import { dataLicense } from '../../../shared/records/data-license.js'
import { recordTypes } from '../../../shared/records/records.js'
import { endpoint } from '../endpoint.js'
import { exportPath } from '../export-download.js'

const ExportFile = z.object({
  type: z.enum(recordTypes),
  format: z.enum(exportFormats),
  encoding: z.enum(exportEncodings).describe('what to ask for by Accept-Encoding; the path is the same for all'),
  path: z.string(),
  rows: z.int().describe('records in the file'),
  total: z.int().describe('records in the catalog at that moment'),
  truncated: z.boolean().describe('whether the file holds fewer than there were'),
  bytes: z.int().describe('size of the file in this encoding'),
  sha256: z.string().describe('of these bytes, hex; the ETag of the download is the same'),
})

/** GET /api/v1/exports: the snapshots that are kept, and what is in them. */
export const exportSnapshots = endpoint({
  name: 'export-snapshots',
  path: '/api/v1/exports',
  summary: 'The snapshots of the exports, with the size and hash of every file',
  docs: {
    tag: 'Catalog',
    description:
      'For whoever keeps a copy: see what there is and whether it is new, then download it and check its hash.',
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
            .describe('where /api/v1/changes goes on from this snapshot; null: not known, start from its beginning'),
          files: z.array(ExportFile),
        }),
      )
      .describe('the newest first; empty before the first is written'),
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
