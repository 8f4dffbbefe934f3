import type { ExportFile, SnapshotManifest, SnapshotMoment } from '../../../shared/ports/export-store.js'
import { dataLicense } from '../../../shared/records/data-license.js'
import type { ManifestSigner } from '../signing/minisign.js'

/**
 * The manifest of a snapshot, which clients download next to its files.
 *
 * @param signer null: it is not signed
 */
export function describeSnapshot(
  { snapshot, generatedAt, changesSince }: SnapshotMoment,
  files: ExportFile[],
  signer: ManifestSigner | null,
): SnapshotManifest {
  const manifest = {
    snapshot,
    generatedAt,
    ...dataLicense,
    changesSince,
    files: files.map(({ type, format, encoding, count, total, truncated, sizeBytes, sha256 }) => ({
      name: `${type}.${format}`,
      encoding,
      rows: count,
      total,
      truncated,
      bytes: sizeBytes,
      sha256,
    })),
  }
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  return {
    text,
    signature: signer?.sign(text, `snapshot ${snapshot}, ${dataLicense.license}`) ?? null,
    publicKey: signer?.publicKey ?? null,
  }
}
