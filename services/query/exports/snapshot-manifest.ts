import { z } from 'zod'
import type { ExportSnapshot, ExportStore, SnapshotManifest } from '../../../shared/ports/export-store.js'
import { fileSchemas, type RecordType } from '../../../shared/records/records.js'
import { documentedAs, type EndpointDocs } from '../openapi/documented-as.js'
import { exportFileGone, unknownExportFile } from '../problems/errors.js'

/** The pattern of a snapshot's name: the time at which it was made. */
export const snapshotName = /^\d{8}T\d{9}Z$/

/** The same of a dataset. */
export const datasetName = /^\d{8}T\d{9}Z-dataset$/

/** Whether the name is that of an existing time. Names sort by time. */
function isSnapshotTime(name: string): boolean {
  const iso = name.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z(-dataset)?$/, '$1-$2-$3T$4:$5:$6.$7Z')
  const date = new Date(iso)
  return !Number.isNaN(date.getTime()) && date.toISOString() === iso
}

/**
 * The kept snapshot of a name.
 *
 * @param pattern of the names of such snapshots
 * @param current the path of the same file in its current version, for the error
 * @throws AppError `export_unknown` (404) when no such snapshot can have existed, `export_gone` (410) when it may have
 * existed and has been deleted
 */
export function findSnapshot(
  snapshots: ExportSnapshot[],
  name: string,
  pattern: RegExp,
  current: string,
): ExportSnapshot {
  if (!pattern.test(name) || !isSnapshotTime(name) || snapshots.every(({ snapshot }) => snapshot < name)) {
    throw unknownExportFile()
  }
  const snapshot = snapshots.find((kept) => kept.snapshot === name)
  if (snapshot === undefined) {
    throw exportFileGone(name, current)
  }
  return snapshot
}

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
export const ExportEnvelope = z.discriminatedUnion('type', [
  envelopeOf('skills'),
  envelopeOf('prompts'),
  envelopeOf('organizations'),
])

/** The documentation that all endpoints of export files share. */
export const exportDocs = {
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
