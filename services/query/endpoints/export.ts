import { z } from 'zod'
import { exportFormats } from '../../../shared/ports/export-store.js'
import { recordTypes } from '../../../shared/records/records.js'
import { exportDownload, exportNotReady, exportPath } from '../exports/export-download.js'
import { ExportEnvelope, exportDocs } from '../exports/snapshot-manifest.js'
import { endpoint } from '../request/endpoint.js'
import { OneOf } from '../request/parameters.js'

/** GET /api/v1/export: a whole dataset as a file of the latest snapshot. */
export const exportDataset = endpoint({
  name: 'export',
  path: '/api/v1/export',
  summary: 'A whole dataset as a file',
  docs: {
    ...exportDocs,
    description:
      'The files are written every hour. Resume a download with `Range` and, in `If-Range`, the `ETag` of the part that ' +
      'you have: the rest of that file follows while its snapshot is kept, after that the whole current file. A range ' +
      'without `If-Range` is redirected to the URL in `Content-Location`, where the bytes never change; one without an end ' +
      'is answered with 428, since it may continue another file.',
    errors: [
      'part_elsewhere',
      'precondition_failed',
      'range_not_satisfiable',
      'validator_required',
      'export_not_ready',
      'exports_unavailable',
    ],
  },
  params: z.object({}),
  query: z.object({
    type: z
      .enum(recordTypes, {
        error: ({ input }) => `${input === undefined ? 'is required: ' : 'must be '}one of ${recordTypes.join(', ')}.`,
      })
      .describe('the type of the records'),
    format: OneOf(exportFormats).default('json').describe('ndjson: one record per line, without the envelope'),
  }),
  response: ExportEnvelope,
  limits: ['default', 'export'],
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 600 },

  async handle({ query }, { exports, requestExport }) {
    const [current, ...older] = await exports.snapshots()
    const download = current === undefined ? null : exportDownload(current, query, exports)
    if (current === undefined || download === null) {
      requestExport()
      throw exportNotReady()
    }
    const previous = older.flatMap((snapshot) => exportDownload(snapshot, query, exports) ?? [])
    return {
      download: { ...download, previous },
      links: [{ rel: 'canonical', target: exportPath(current.snapshot, query) }],
    }
  },
})
