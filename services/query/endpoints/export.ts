import type { Readable } from 'node:stream'
import { z } from 'zod'
import { unavailable } from '../../../shared/errors.js'
import { type ExportFileInfo, type ExportFormat, exportFormats } from '../../../shared/ports/export-store.js'
import { recordTypes } from '../../../shared/records/records.js'
import { endpoint } from '../endpoint.js'
import { OneOf } from '../parameters.js'

const retryAfterSeconds = 10

const contentTypes: Record<ExportFormat, string> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** GET /api/v1/export: a whole dataset as a file, from the snapshot that was published last. */
export const exportDataset = endpoint({
  name: 'export',
  path: '/api/v1/export',
  summary: 'A whole dataset as a file',
  docs: {
    tag: 'Catalog',
    errors: ['export_not_ready', 'exports_unavailable'],
    headers: ['Content-Disposition', 'Last-Modified', 'X-Total-Count', 'X-Export-Count', 'X-Export-Truncated'],
  },
  params: z.object({}),
  query: z.object({
    type: z
      .enum(recordTypes, {
        error: ({ input }) => `${input === undefined ? 'is required: ' : 'must be '}one of ${recordTypes.join(', ')}.`,
      })
      .describe('which records'),
    format: OneOf(exportFormats).default('json'),
  }),
  response: z
    .object({
      type: z.enum(recordTypes),
      license: z.string(),
      licenseUrl: z.string(),
      snapshot: z.string(),
      generatedAt: z.string(),
      total: z.int(),
      count: z.int(),
      truncated: z.boolean(),
      data: z.array(z.unknown()),
    })
    .describe('as JSON; as CSV a header row and one row for each record'),
  limits: ['default', 'export'],
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 600 },

  async handle({ method, query }, { exports, requestExport }) {
    const { type, format } = query
    const opened = method === 'HEAD' ? await describe() : await exports.open(type, format)
    if (opened === null) {
      requestExport()
      throw unavailable(
        'export_not_ready',
        `The files are being written for the first time. Try again in ${retryAfterSeconds} s.`,
        retryAfterSeconds,
      )
    }
    return { file: opened.stream, headers: fileHeaders(opened.info) }

    /** What is known of the file, without opening it. */
    async function describe(): Promise<{ info: ExportFileInfo; stream: Readable | null } | null> {
      const info = (await exports.current()).find((file) => file.type === type && file.format === format)
      return info === undefined ? null : { info, stream: null }
    }
  },
})

const fileHeaders = (info: ExportFileInfo): Record<string, string> => ({
  'Content-Type': contentTypes[info.format],
  'Content-Disposition': `attachment; filename="${info.type}-${info.generatedAt.slice(0, 10)}.${info.format}"`,
  'Content-Length': String(info.sizeBytes),
  'Last-Modified': new Date(info.generatedAt).toUTCString(),
  ETag: `"${info.sha256}"`,
  'X-Total-Count': String(info.total),
  'X-Export-Count': String(info.count),
  'X-Export-Truncated': String(info.truncated),
})
