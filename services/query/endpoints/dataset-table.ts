import { z } from 'zod'
import { recordTypes } from '../../../shared/records/records.js'
import { DatasetSnapshot, datasetCache, datasetDocs, datasetDownload } from '../exports/export-download.js'
import { documentedAs } from '../openapi/documented-as.js'
import { unknownExportFile } from '../problems/errors.js'
import { endpoint } from '../request/endpoint.js'

/** GET /api/v1/exports/:snapshot/:table.parquet: every record of a type; the bytes never change. */
export const datasetTable = endpoint({
  name: 'dataset-table',
  path: '/api/v1/exports/:snapshot/:table.parquet',
  summary: 'Every record of a type, as Parquet; its bytes never change',
  docs: {
    ...datasetDocs,
    content: { 'application/vnd.apache.parquet': z.string().describe('Parquet, compressed with Zstandard') },
  },
  params: z.object({
    snapshot: DatasetSnapshot,
    table: z
      .string()
      .describe('the type of the records')
      .meta(documentedAs({ type: 'string', enum: [...recordTypes] })),
  }),
  query: z.object({}),
  response: z.string(),
  limits: ['dataset'],
  cache: datasetCache,

  /** @throws AppError `export_unknown` (404), `export_gone` (410) */
  async handle({ params }, { datasets }) {
    const type = recordTypes.find((known) => known === params.table)
    if (type === undefined) {
      throw unknownExportFile()
    }
    return { download: await datasetDownload(datasets, params.snapshot, { type, format: 'parquet' }) }
  },
})
