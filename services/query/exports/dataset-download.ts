import { z } from 'zod'
import type { ExportStore } from '../../../shared/ports/export-store.js'
import type { Download } from '../http/select-part.js'
import { documentedAs } from '../openapi/documented-as.js'
import type { EndpointDocs } from '../openapi/endpoint-docs.js'
import { exportFileGone } from '../problems/errors.js'
import { exportDocs } from './export-docs.js'
import { exportDownload, exportPath, type FileName } from './export-download.js'
import { datasetName, findSnapshot } from './find-snapshot.js'

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
