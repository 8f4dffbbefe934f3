import { z } from 'zod'
import { type ExportStore, exportFormats } from '../../../../shared/ports/export-store.js'
import { type RecordType, recordTypes } from '../../../../shared/records/records.js'
import { fileSchemas } from '../../../../shared/records/schemas.js'
import { documentedAs, type EndpointDocs } from '../../openapi/documented-as.js'
import type { Download } from '../../request/download.js'
import { endpoint } from '../../request/endpoint.js'
import { OneOf } from '../../request/parameters.js'
import { exportFileGone, unknownExportFile } from '../../request/problems.js'
import {
  datasetName,
  exportDownload,
  exportNotReady,
  exportPath,
  type FileName,
  findSnapshot,
  immutableCache,
  snapshotName,
} from './export-download.js'

const envelopeOf = <T extends RecordType>(type: T) =>
  z.object({
    type: z.literal(type),
    license: z.string(),
    licenseUrl: z.string(),
    snapshot: z.string(),
    generatedAt: z.string(),
    total: z.int().describe('records in the catalog at the time of the snapshot'),
    count: z.int().describe('records in the file'),
    truncated: z.boolean().describe('whether the file holds fewer records than the catalog'),
    data: z
      .array(fileSchemas[type])
      .describe('skills sorted by stars, then id; prompts by id; organizations by number of skills'),
  })

/** The JSON form of an export file. */
const ExportEnvelope = z.discriminatedUnion('type', [
  envelopeOf('skills'),
  envelopeOf('prompts'),
  envelopeOf('organizations'),
])

/** The documentation that all endpoints of export files share. */
const exportDocs = {
  tag: 'Catalog',
  headers: [
    'Accept-Ranges',
    'Content-Disposition',
    'Content-Location',
    'Last-Modified',
    'Repr-Digest',
    'X-Total-Count',
    'X-Export-Count',
    'X-Export-Truncated',
  ],
  content: {
    'application/json': ExportEnvelope,
    'text/csv': z.string().describe('RFC 4180: a header row and one row per record; lists joined by |'),
    'application/x-ndjson': z.string().describe('one record per line'),
  },
  ranges: true,
} as const satisfies Partial<EndpointDocs>

/** A snapshot's files by their names, such as `skills.csv`. */
const exportNames: ReadonlyMap<string, FileName> = new Map(
  recordTypes.flatMap((type) => exportFormats.map((format) => [`${type}.${format}`, { type, format }])),
)

const fileErrors = [
  'export_unknown',
  'export_gone',
  'precondition_failed',
  'range_not_satisfiable',
  'export_not_ready',
  'exports_unavailable',
] as const satisfies EndpointDocs['errors']

/** The documentation that the files with every record share. */
const datasetDocs = {
  ...exportDocs,
  description:
    'From a snapshot that `/api/v1/exports` lists under `datasets`: it is written once a day, and the two newest are kept. ' +
    'Requests count against the quota `dataset` alone, so that programs can read the file in ranges where it is.',
  errors: fileErrors,
} as const satisfies Partial<EndpointDocs>

const DatasetSnapshot = z
  .string()
  .describe('name of a dataset, as /api/v1/exports lists it')
  .meta(documentedAs({ type: 'string', pattern: datasetName.source }))

/** GET /api/v1/export: the records of one type as a file of the newest snapshot. */
export const newestExport = endpoint({
  name: 'export',
  path: '/api/v1/export',
  summary: 'The records of one type as a file, up to 10,000',
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

/** GET /api/v1/exports/:snapshot/:file: a file of one snapshot; its bytes never change. */
export const exportFile = endpoint({
  name: 'export-file',
  path: '/api/v1/exports/:snapshot/:file',
  summary: 'A file of one snapshot; its bytes never change',
  docs: {
    ...exportDocs,
    description:
      'Like `/api/v1/export`, from a snapshot that `/api/v1/exports` lists. The three newest snapshots are kept.',
    errors: fileErrors,
  },
  params: z.object({
    snapshot: z
      .string()
      .describe('name of a snapshot, as /api/v1/exports lists it')
      .meta(documentedAs({ type: 'string', pattern: snapshotName.source })),
    file: z
      .string()
      .describe('type and format, for instance `skills.csv`')
      .meta(documentedAs({ type: 'string', enum: [...exportNames.keys()] })),
  }),
  response: ExportEnvelope,
  limits: ['default', 'export'],
  cache: immutableCache,

  async handle({ params }, { exports }) {
    const name = exportNames.get(params.file)
    if (name === undefined) {
      throw unknownExportFile()
    }
    const current = `/api/v1/export?type=${name.type}&format=${name.format}`
    const snapshot = findSnapshot(await exports.snapshots(params.snapshot), params.snapshot, snapshotName, current)
    const download = exportDownload(snapshot, name, exports)
    if (download === null) {
      throw exportFileGone(params.snapshot, current)
    }
    return { download }
  },
})

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
  limits: ['dataset'],
  cache: immutableCache,

  async handle({ params }, { datasets }) {
    const type = recordTypes.find((known) => known === params.table)
    if (type === undefined) {
      throw unknownExportFile()
    }
    return { download: await datasetDownload(datasets, params.snapshot, { type, format: 'parquet' }) }
  },
})

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
  limits: ['dataset'],
  cache: immutableCache,

  async handle({ params }, { datasets }) {
    return { download: await datasetDownload(datasets, params.snapshot, { type: 'catalog', format: 'sqlite' }) }
  },
})

async function datasetDownload(
  datasets: Pick<ExportStore, 'open' | 'snapshots'>,
  name: string,
  file: FileName,
): Promise<Download> {
  const kept = await datasets.snapshots(name)
  const current = kept[0] === undefined ? '/api/v1/exports' : exportPath(kept[0].snapshot, file)
  const download = exportDownload(findSnapshot(kept, name, datasetName, current), file, datasets)
  if (download === null) {
    throw exportFileGone(name, current)
  }
  return download
}
