import type { ExportFile, SnapshotManifest, SnapshotMoment } from '../../../shared/ports/export-store.js'
import { dataLicense, type FileRecords, type PublicRecords, type RecordType } from '../../../shared/records/records.js'
import { publicSchemas } from '../../../shared/records/schemas.js'
import { toSkillRow } from '../../../shared/records/skill.js'
import type { JobContext } from '../runner/job.js'
import type { ManifestSigner } from '../signing/minisign.js'

/**
 * The moment of a snapshot, read before its first record: a reader that follows the changes from there misses none.
 *
 * @param suffix of its name
 */
export async function currentMoment({ clock, changes }: JobContext, suffix = ''): Promise<SnapshotMoment> {
  const generatedAt = clock().toISOString()
  const { head, complete } = await changes.bounds()
  const snapshot = `${generatedAt.replaceAll(/[-:.]/g, '')}${suffix}`
  return { snapshot, generatedAt, changesSince: complete ? head : null }
}

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

/** A public record as it is in files. */
const toFileRecord: { [T in RecordType]: (record: PublicRecords[T]) => FileRecords[T] } = {
  skills: toSkillRow,
  prompts: (prompt) => prompt,
  organizations: (organization) => organization,
}

/**
 * Records as they are in files, with their public fields only. Invalid ones are reported, so that the others can be
 * published.
 *
 * @param files where they are missing then, for the report
 */
export function fileRecords<T extends RecordType>(
  { report }: Pick<JobContext, 'report'>,
  type: T,
  records: PublicRecords[T][],
  files: string,
): FileRecords[T][] {
  return records.flatMap((record) => {
    const parsed = publicSchemas[type].safeParse(record)
    if (parsed.success) {
      return [toFileRecord[type](parsed.data as PublicRecords[T])]
    }
    const reasons = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    const id = String('login' in record ? record.login : record.id)
    report({ kind: 'rejected', id, reason: `omitted from ${files}: ${reasons.join('; ')}` })
    return []
  })
}
