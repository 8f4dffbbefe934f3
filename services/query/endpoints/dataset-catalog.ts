import { z } from 'zod'
import { DatasetSnapshot, datasetCache, datasetDocs, datasetDownload } from '../exports/export-download.js'
import { endpoint } from '../request/endpoint.js'

/** GET /api/v1/exports/:snapshot/catalog.sqlite: every record; the bytes never change. */
export const datasetCatalog = endpoint({
  name: 'dataset-catalog',
  path: '/api/v1/exports/:snapshot/catalog.sqlite',
  summary: 'Every record, as an SQLite database; its bytes never change',
  docs: {
    ...datasetDocs,
    content: { 'application/vnd.sqlite3': z.string().describe('an SQLite database with a full-text index') },
  },
  params: z.object({ snapshot: DatasetSnapshot }),
  query: z.object({}),
  response: z.string(),
  limits: ['dataset'],
  cache: datasetCache,

  /** @throws AppError `export_unknown` (404), `export_gone` (410) */
  async handle({ params }, { datasets }) {
    return { download: await datasetDownload(datasets, params.snapshot, { type: 'catalog', format: 'sqlite' }) }
  },
})
