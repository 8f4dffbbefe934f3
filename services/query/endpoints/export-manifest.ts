import { z } from 'zod'
import { datasetCache, manifestPath, textDownload } from '../exports/export-download.js'
import { AnySnapshot, findManifest, manifestDocs } from '../exports/snapshot-manifest.js'
import { endpoint } from '../request/endpoint.js'

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
  query: z.object({}),
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
  limits: ['default'],
  cache: datasetCache,

  /** @throws AppError `export_unknown` (404), `export_gone` (410) */
  async handle({ params }, stores) {
    const { snapshot, manifest } = await findManifest(params.snapshot, stores)
    const path = manifestPath(snapshot.snapshot)
    return { download: textDownload(snapshot, manifest.text, path, 'application/json; charset=utf-8') }
  },
})
