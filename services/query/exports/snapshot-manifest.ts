import { z } from 'zod'
import type { ExportSnapshot, ExportStore, SnapshotManifest } from '../../../shared/ports/export-store.js'
import { documentedAs } from '../openapi/documented-as.js'
import type { EndpointDocs } from '../openapi/endpoint-docs.js'
import { unknownExportFile } from '../problems/errors.js'
import { datasetName, findSnapshot, snapshotName } from './find-snapshot.js'

/** The parameter of a snapshot's name, of either kind. */
export const AnySnapshot = z
  .string()
  .describe('name of a snapshot, as /api/v1/exports lists it')
  .meta(documentedAs({ type: 'string', pattern: `${snapshotName.source}|${datasetName.source}` }))

/** The documentation that the endpoints of manifest and signature share. */
export const manifestDocs = {
  tag: 'Catalog',
  headers: ['Accept-Ranges', 'Content-Disposition', 'Content-Location', 'Last-Modified', 'Repr-Digest'],
  ranges: true,
  errors: ['export_unknown', 'export_gone', 'precondition_failed', 'range_not_satisfiable', 'exports_unavailable'],
} as const satisfies Partial<EndpointDocs>

type Snapshots = Pick<ExportStore, 'snapshots'>

/**
 * The manifest of a snapshot of either kind.
 *
 * @throws AppError `export_unknown` (404), also for a snapshot without a manifest; `export_gone` (410)
 */
export async function findManifest(
  name: string,
  { exports, datasets }: { exports: Snapshots; datasets: Snapshots },
): Promise<{ snapshot: ExportSnapshot; manifest: SnapshotManifest }> {
  const [store, pattern] = datasetName.test(name) ? [datasets, datasetName] : [exports, snapshotName]
  const snapshot = findSnapshot(await store.snapshots(), name, pattern, '/api/v1/exports')
  if (snapshot.manifest === null) {
    throw unknownExportFile()
  }
  return { snapshot, manifest: snapshot.manifest }
}
