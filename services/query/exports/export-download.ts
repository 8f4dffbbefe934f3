import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { z } from 'zod'
import {
  type ExportEncoding,
  type ExportFile,
  type ExportFormat,
  type ExportSnapshot,
  type ExportStore,
  exportFormats,
  type FileFormat,
} from '../../../shared/ports/export-store.js'
import { type RecordType, recordTypes } from '../../../shared/records/records.js'
import { unavailable } from '../../../shared/runtime/errors.js'
import { documentedAs, type EndpointDocs } from '../openapi/documented-as.js'
import { exportFileGone } from '../problems/errors.js'
import type { Download, Representation } from '../request/download.js'
import type { ContentEncoding } from '../request/sendable-text.js'
import { datasetName, exportDocs, findSnapshot } from './snapshot-manifest.js'

const contentTypes: Record<FileFormat, string> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  sqlite: 'application/vnd.sqlite3',
}

/** The HTTP names of the files' encodings, the smallest first. */
const encodings: [ExportEncoding, ContentEncoding | null][] = [
  ['identity', null],
  ['br', 'br'],
  ['gzip', 'gzip'],
]

const retryAfterSeconds = 10

/** The file of a snapshot, in any encoding. */
export interface ExportName {
  type: RecordType
  format: ExportFormat
}

/** Any file of a snapshot, in any encoding. */
export type FileName = Pick<ExportFile, 'type' | 'format'>

/** The path of a file in a snapshot, valid while the snapshot is kept. */
export const exportPath = (snapshot: string, { type, format }: FileName): string =>
  `/api/v1/exports/${snapshot}/${type}.${format}`

/** The names of a snapshot's files. */
export const exportNames = recordTypes.flatMap((type) => exportFormats.map((format) => `${type}.${format}`))

/** The file with a name such as `skills.csv`; null when there is no such file. */
export function readExportName(name: string): ExportName | null {
  const [typeText, formatText, ...rest] = name.split('.')
  const type = recordTypes.find((known) => known === typeText)
  const format = exportFormats.find((known) => known === formatText)
  return type === undefined || format === undefined || rest.length > 0 ? null : { type, format }
}

/**
 * A file of a snapshot as a download, in all of its encodings.
 *
 * @returns null when the snapshot has no such file
 */
export function exportDownload(
  { snapshot, generatedAt, files }: ExportSnapshot,
  { type, format }: FileName,
  exports: Pick<ExportStore, 'open'>,
): Download | null {
  const representations = encodings.flatMap(([stored, encoding]): Representation[] => {
    const file = files.find((other) => other.type === type && other.format === format && other.encoding === stored)
    if (file === undefined) {
      return []
    }
    const { sizeBytes, sha256 } = file
    const open: Representation['open'] = async (range) => {
      const stream = await exports.open(sha256, range)
      if (stream === null) {
        throw exportNotReady()
      }
      return stream
    }
    return [{ encoding, sizeBytes, sha256, open }]
  })
  const [plain, ...packed] = representations
  const described = files.find((file) => file.type === type && file.format === format)
  if (plain?.encoding !== null || described === undefined) {
    return null
  }
  return {
    previous: null,
    lastModified: new Date(generatedAt),
    headers: {
      'Content-Type': contentTypes[format],
      'Content-Disposition': `attachment; filename="${type}-${generatedAt.slice(0, 10)}.${format}"`,
      'Content-Location': exportPath(snapshot, { type, format }),
      'X-Total-Count': String(described.total),
      'X-Export-Count': String(described.count),
      'X-Export-Truncated': String(described.truncated),
    },
    representations: [plain, ...packed],
  }
}

/** 503: no snapshot has been published yet, or the last one is being replaced. */
export const exportNotReady = () =>
  unavailable(
    'export_not_ready',
    `The files are being written. Try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  )

/** The path of a snapshot's manifest. */
export const manifestPath = (snapshot: string): string => `/api/v1/exports/${snapshot}/manifest.json`

/** The path of its signature. */
export const signaturePath = (snapshot: string): string => `${manifestPath(snapshot)}.minisig`

/** A text of a snapshot as a download. */
export function textDownload({ generatedAt }: ExportSnapshot, text: string, path: string, type: string): Download {
  const bytes = Buffer.from(text)
  const name = path.slice(path.lastIndexOf('/') + 1)
  return {
    previous: null,
    lastModified: new Date(generatedAt),
    headers: {
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Content-Location': path,
    },
    representations: [
      {
        encoding: null,
        sizeBytes: bytes.length,
        sha256: hash('sha256', bytes),
        open: async (range) =>
          Readable.from([range === null ? bytes : bytes.subarray(range.start, range.end + 1)], { objectMode: false }),
      },
    ],
  }
}

/** The documentation that the endpoints of the files share. */
export const datasetDocs = {
  ...exportDocs,
  description:
    'From a snapshot that `/api/v1/exports` lists under `datasets`: it is written once a day, and the two newest are kept. ' +
    'Requests count against the quota `dataset` alone, so that programs can read the file in ranges where it is.',
  errors: [
    'export_unknown',
    'export_gone',
    'precondition_failed',
    'range_not_satisfiable',
    'export_not_ready',
    'exports_unavailable',
  ],
} as const satisfies Partial<EndpointDocs>

/** The parameter of a snapshot's name. */
export const DatasetSnapshot = z
  .string()
  .describe('name of a dataset, as /api/v1/exports lists it')
  .meta(documentedAs({ type: 'string', pattern: datasetName.source }))

/** A year. */
export const datasetCache = { maxAgeSeconds: 31_536_000, immutable: true } as const

/** @throws AppError `export_unknown` (404), `export_gone` (410) */
export async function datasetDownload(
  datasets: Pick<ExportStore, 'open' | 'snapshots'>,
  name: string,
  file: FileName,
): Promise<Download> {
  const kept = await datasets.snapshots()
  const current = kept[0] === undefined ? '/api/v1/exports' : exportPath(kept[0].snapshot, file)
  const download = exportDownload(findSnapshot(kept, name, datasetName, current), file, datasets)
  if (download === null) {
    throw exportFileGone(name, current)
  }
  return download
}
