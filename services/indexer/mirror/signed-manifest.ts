import { z } from 'zod'
import { type AppError, operatorError } from '../../../shared/runtime/errors.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { type VerifyingKey, verifySignature } from '../signing/minisign.js'
import type { Mirror } from './mirror.js'
import type { Snapshot, SnapshotFile } from './snapshots.js'

/** What a manifest must say of its snapshot. Other members are ignored. */
const Manifest = z.object({
  snapshot: z.string(),
  generatedAt: z.string(),
  changesSince: z.int().nullable(),
  files: z.array(
    z.object({
      name: z.string(),
      encoding: z.string(),
      rows: z.int(),
      total: z.int(),
      truncated: z.boolean(),
      bytes: z.int(),
      sha256: z.string(),
    }),
  ),
})

/**
 * Checks that a snapshot is exactly what its signed manifest says, and not older than the last one that was copied.
 *
 * @throws AppError `snapshot_not_signed` with the reason
 */
export async function checkSignature(mirror: Mirror, snapshot: Snapshot, key: VerifyingKey): Promise<void> {
  const { source, state } = mirror
  const { manifest } = snapshot
  if (!manifest?.signature) {
    throw notSigned(mirror, snapshot, 'it has no signature')
  }
  const text = await source.getText(manifest.path)
  try {
    verifySignature(key, text, await source.getText(manifest.signature))
  } catch (error) {
    throw error instanceof Error && error.name === 'Error' ? notSigned(mirror, snapshot, error.message) : error
  }
  const signed = Manifest.safeParse(parseJson(text))
  if (!signed.success || describe(signed.data, signed.data.files) !== describe(snapshot, snapshot.files.map(named))) {
    throw notSigned(mirror, snapshot, 'it is not what its signed manifest says')
  }
  const copied = Object.values(state.copied).map(({ generatedAt }) => generatedAt)
  if (copied.some((generatedAt) => generatedAt > snapshot.generatedAt)) {
    throw notSigned(mirror, snapshot, 'it is older than the last one that was copied')
  }
}

/** A file by the name that a manifest gives its type and format, unless it lies under another name. */
function named(file: SnapshotFile): z.output<typeof Manifest>['files'][number] {
  const name = `${file.type}.${file.format}`
  const last = file.path.slice(file.path.lastIndexOf('/') + 1)
  return { ...file, name: last === name ? name : `${name} as ${last}` }
}

/** Equal for equal snapshots with equal files. */
const describe = (
  { snapshot, generatedAt, changesSince }: Pick<Snapshot, 'snapshot' | 'generatedAt' | 'changesSince'>,
  files: z.output<typeof Manifest>['files'],
): string =>
  JSON.stringify([
    snapshot,
    generatedAt,
    changesSince,
    files.map(({ name, encoding, rows, total, truncated, bytes, sha256 }) =>
      JSON.stringify([name, encoding, rows, total, truncated, bytes, sha256]),
    ),
  ])

/** @param snapshot null: the source has none */
export const notSigned = ({ source }: Mirror, snapshot: Snapshot | null, reason: string): AppError =>
  operatorError(
    'snapshot_not_signed',
    `${snapshot === null ? 'A snapshot' : `The snapshot ${snapshot.snapshot}`} of ${source.url} was not copied: ${reason}. ` +
      'Ask its operator for the public key, or whether the catalog signs its snapshots (SIGNING_KEY_FILE). ' +
      'Nothing that is not signed is copied, unless --unsigned-changes allows the change feed.',
  )
