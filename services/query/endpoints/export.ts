import { z } from 'zod'
import { exportFormats } from '../../../shared/ports/export-store.js'
import { recordTypes } from '../../../shared/records/records.js'
import { endpoint } from '../endpoint.js'
import { ExportEnvelope, exportDocs } from '../export-docs.js'
import { exportDownload, exportNotReady, exportPath } from '../export-download.js'
import { OneOf } from '../parameters.js'

/** GET /api/v1/export: a whole dataset as a file, from the snapshot that was published last. */
export const exportDataset = endpoint({
  name: 'export',
  path: '/api/v1/export',
  summary: 'A whole dataset as a file',
  docs: {
    ...exportDocs,
    description:
      'The files are written every hour and are the same for everybody. Resume a download with `Range` and, in ' +
      '`If-Range`, the `ETag` of its beginning: the bytes of that file follow while its snapshot is kept, after that ' +
      'the whole present file. A range without `If-Range` is answered with 428, since it could be of any ' +
      'file; ask for it at the address in `Content-Location`, where the bytes stay.',
    errors: [
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
      .describe('which records'),
    format: OneOf(exportFormats).default('json').describe('ndjson: one record a line, without the envelope'),
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
