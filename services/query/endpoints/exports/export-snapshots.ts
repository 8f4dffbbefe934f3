import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { z } from 'zod'
import {
  datasetFormats,
  type ExportFile,
  type ExportSnapshot,
  type ExportStore,
  exportEncodings,
  exportFormats,
  type SnapshotManifest,
} from '../../../../shared/ports/export-store.js'
import { dataLicense, recordTypes } from '../../../../shared/records/records.js'
import { documentedAs, type EndpointDocs } from '../../openapi/documented-as.js'
import type { Download } from '../../request/download.js'
import { endpoint } from '../../request/endpoint.js'
import { unknownExportFile } from '../../request/problems.js'
import { datasetName, exportPath, findSnapshot, immutableCache, snapshotName } from './export-download.js'

/** The parameter of a snapshot's name, of either kind. */
const AnySnapshot = z
  .string()
  .describe('name of a snapshot, as /api/v1/exports lists it')
  .meta(documentedAs({ type: 'string', pattern: `${snapshotName.source}|${datasetName.source}` }))

/** The documentation that the endpoints of manifest and signature share. */
const manifestDocs = {
  tag: 'Catalog',
  headers: ['Accept-Ranges', 'Content-Disposition', 'Content-Location', 'Last-Modified', 'Repr-Digest'],
  ranges: true,
  errors: ['export_unknown', 'export_gone', 'precondition_failed', 'range_not_satisfiable', 'exports_unavailable'],
} as const satisfies Partial<EndpointDocs>

const SnapshotFile = z.object({
  type: z.enum(recordTypes),
  format: z.enum(exportFormats),
  encoding: z.enum(exportEncodings).describe('the value for Accept-Encoding; the path is the same for all encodings'),
  path: z.string(),
  rows: z.int().describe('records in the file'),
  total: z.int().describe('records in the catalog at the time of the snapshot'),
  truncated: z.boolean().describe('whether the file holds fewer records than the catalog'),
  bytes: z.int().describe('size of the file in this encoding'),
  sha256: z.string().describe('SHA-256 of these bytes, hex; also the ETag of the download'),
})

const DatasetFile = SnapshotFile.extend({
  type: z.enum([...recordTypes, 'catalog']).describe('catalog: the records of all types'),
  format: z.enum(datasetFormats),
})

const SnapshotEntry = z.object({
  snapshot: z.string(),
  generatedAt: z.string(),
  license: z.string(),
  licenseUrl: z.string(),
  changesSince: z
    .int()
    .nullable()
    .describe(
      'the value of since with which /api/v1/changes continues from this snapshot; null: unknown, read the changes from the start',
    ),
  manifest: z
    .object({
      path: z.string().describe('the list of the files with their digests, for a copy of the snapshot'),
      signature: z.string().nullable().describe('the path of its minisign signature; null: it is not signed'),
      publicKey: z.string().nullable().describe('the key that minisign -P takes to check it; null: it is not signed'),
    })
    .nullable()
    .describe('null: a snapshot of an earlier version, without a manifest'),
})

/** GET /api/v1/exports: the snapshots that are kept, with their files. */
export const exportSnapshots = endpoint({
  name: 'export-snapshots',
  path: '/api/v1/exports',
  summary: 'The snapshots of the exports, with the size and digest of every file',
  docs: {
    tag: 'Catalog',
    description:
      'For clients that keep a copy: compare the newest snapshot with your own, download its files and check their digests.',
    errors: ['exports_unavailable'],
  },
  response: z.object({
    data: z
      .array(SnapshotEntry.extend({ files: z.array(SnapshotFile) }))
      .describe('newest first; empty until the first is written'),
    datasets: z
      .array(SnapshotEntry.extend({ files: z.array(DatasetFile) }))
      .describe('snapshots with every record, as Parquet and SQLite; newest first; empty until the first is written'),
  }),
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle(_, { exports, datasets, requestExport }) {
    const snapshots = await exports.snapshots()
    if (snapshots.length === 0) {
      requestExport()
    }
    return {
      body: {
        data: snapshots.map((snapshot) => entryOf(snapshot, SnapshotFile)),
        datasets: (await datasets.snapshots()).map((snapshot) => entryOf(snapshot, DatasetFile)),
      },
    }
  },
})

/** @param schema of the files; others are left out */
function entryOf<File>(
  { snapshot, generatedAt, changesSince, manifest, files }: ExportSnapshot,
  schema: z.ZodType<File>,
) {
  return {
    snapshot,
    generatedAt,
    ...dataLicense,
    changesSince,
    manifest: manifest && {
      path: manifestPath(snapshot),
      signature: manifest.signature === null ? null : signaturePath(snapshot),
      publicKey: manifest.publicKey,
    },
    files: files.flatMap((file): File[] => {
      const listed = schema.safeParse(fileOf(snapshot, file))
      return listed.success ? [listed.data] : []
    }),
  }
}

const fileOf = (
  snapshot: string,
  { type, format, encoding, total, count, truncated, sizeBytes, sha256 }: ExportFile,
) => ({
  type,
  format,
  encoding,
  path: exportPath(snapshot, { type, format }),
  rows: count,
  total,
  truncated,
  bytes: sizeBytes,
  sha256,
})

/** GET /api/v1/exports/:snapshot/manifest.json: the files of a snapshot with their digests. */
export const exportManifest = endpoint({
  name: 'export-manifest',
  path: '/api/v1/exports/:snapshot/manifest.json',
  summary: 'The files of a snapshot with their digests; its bytes never change',
  docs: {
    ...manifestDocs,
    description:
      'Of a snapshot of either kind. Keep it with the files: with its signature it shows where they are from.',
  },
  params: z.object({ snapshot: AnySnapshot }),
  response: z
    .object({
      snapshot: z.string().describe('its name'),
      generatedAt: z.string().describe('when the first record was read'),
      license: z.string().describe('SPDX identifier of the licence of the data'),
      licenseUrl: z.string().describe('URL of the licence'),
      changesSince: z.int().nullable().describe('as in /api/v1/exports'),
      files: z
        .array(
          z.object({
            name: z.string().describe('the last part of its path'),
            encoding: z.string(),
            rows: z.int(),
            total: z.int(),
            truncated: z.boolean(),
            bytes: z.int(),
            sha256: z.string(),
          }),
        )
        .describe('every file of the snapshot, in every encoding'),
    })
    .meta({ id: 'SnapshotManifest' }),
  cache: immutableCache,

  async handle({ params }, stores) {
    const { snapshot, manifest } = await findManifest(params.snapshot, stores)
    const path = manifestPath(snapshot.snapshot)
    return { download: textDownload(snapshot, manifest.text, path, 'application/json; charset=utf-8') }
  },
})

/** GET /api/v1/exports/:snapshot/manifest.json.minisig: the signature of a manifest. */
export const exportSignature = endpoint({
  name: 'export-signature',
  path: '/api/v1/exports/:snapshot/manifest.json.minisig',
  summary: 'The signature of a manifest, for minisign',
  docs: {
    ...manifestDocs,
    description:
      'Ed25519 over the BLAKE2b-512 hash of `manifest.json`, in the format of [minisign](https://jedisct1.github.io/minisign/). ' +
      '404 where the catalog has no signing key: `/api/v1/exports` lists the signature and the public key of each snapshot.',
  },
  params: z.object({ snapshot: AnySnapshot }),
  produces: 'text/plain; charset=utf-8',
  cache: immutableCache,

  /** @throws AppError `export_unknown` (404), also for a manifest that is not signed; `export_gone` (410) */
  async handle({ params }, stores) {
    const { snapshot, manifest } = await findManifest(params.snapshot, stores)
    if (manifest.signature === null) {
      throw unknownExportFile()
    }
    const path = signaturePath(snapshot.snapshot)
    return { download: textDownload(snapshot, manifest.signature, path, 'text/plain; charset=utf-8') }
  },
})

type Snapshots = Pick<ExportStore, 'snapshots'>

/**
 * The manifest of a snapshot of either kind.
 *
 * @throws AppError `export_unknown` (404), also for a snapshot without a manifest; `export_gone` (410)
 */
async function findManifest(
  name: string,
  { exports, datasets }: { exports: Snapshots; datasets: Snapshots },
): Promise<{ snapshot: ExportSnapshot; manifest: SnapshotManifest }> {
  const [store, pattern] = datasetName.test(name) ? [datasets, datasetName] : [exports, snapshotName]
  const snapshot = findSnapshot(await store.snapshots(name), name, pattern, '/api/v1/exports')
  if (snapshot.manifest === null) {
    throw unknownExportFile()
  }
  return { snapshot, manifest: snapshot.manifest }
}

const manifestPath = (snapshot: string): string => `/api/v1/exports/${snapshot}/manifest.json`

const signaturePath = (snapshot: string): string => `${manifestPath(snapshot)}.minisig`

function textDownload({ generatedAt }: ExportSnapshot, text: string, path: string, type: string): Download {
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
