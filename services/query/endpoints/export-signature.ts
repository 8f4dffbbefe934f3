import { z } from 'zod'
import { datasetCache, signaturePath, textDownload } from '../exports/export-download.js'
import { AnySnapshot, findManifest, manifestDocs } from '../exports/snapshot-manifest.js'
import { unknownExportFile } from '../problems/errors.js'
import { endpoint } from '../request/endpoint.js'

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
  query: z.object({}),
  response: z.string(),
  produces: 'text/plain; charset=utf-8',
  limits: ['default'],
  cache: datasetCache,

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
