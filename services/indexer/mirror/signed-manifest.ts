import { z } from 'zod'
import type { RecordType } from '../../../shared/records/records.js'
import { type AppError, operatorError } from '../../../shared/runtime/errors.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { printableLine } from '../../../shared/text/clean-text.js'
import { type VerifyingKey, verifySignature } from '../signing/minisign.js'
import { type Mirror, maxRecords } from './mirror.js'

const PathText = z.string().startsWith('/').max(500)

/** The response of `/api/v1/exports`. Other members are ignored. */
const Snapshots = z.object({
  data: z.array(
    z.object({
      snapshot: z.string().max(100).transform(printableLine),
      generatedAt: z.iso.datetime(),
      changesSince: z.int().min(0).nullable(),
      // Absent in earlier versions.
      manifest: z.object({ path: PathText, signature: PathText.nullable() }).nullish(),
      files: z.array(
        z.object({
          type: z.string(),
          format: z.string(),
          encoding: z.string(),
          path: PathText,
          rows: z.int().min(0).max(maxRecords),
          total: z.int().min(0),
          truncated: z.boolean(),
          bytes: z.int().min(0),
          sha256: z.string().regex(/^[0-9a-f]{64}$/),
        }),
      ),
    }),
  ),
})

/** A snapshot of the source's exports. */
export type Snapshot = z.output<typeof Snapshots>['data'][number]

/** A file of a snapshot, in one type, format and encoding. */
export type SnapshotFile = Snapshot['files'][number]

/** The uncompressed NDJSON file of a type; null when the snapshot has none. */
export const fileOf = ({ files }: Snapshot, type: RecordType): SnapshotFile | null =>
  files.find((file) => file.type === type && file.format === 'ndjson' && file.encoding === 'identity') ?? null

/** Whether the file contains all records of the source. */
export const isWhole = ({ truncated, rows, total }: SnapshotFile): boolean => !truncated && rows >= total

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
async function checkSignature(mirror: Mirror, snapshot: Snapshot, key: VerifyingKey): Promise<void> {
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

/**
 * The newest snapshot of the source; null before it has published one.
 *
 * @throws AppError `snapshot_not_signed` when it is not signed with the key of the mirror
 */
export async function findNewestSnapshot(mirror: Mirror): Promise<Snapshot | null> {
  const { data } = await mirror.source.get('/api/v1/exports', Snapshots)
  const newest = data[0] ?? null
  if (newest !== null && mirror.publicKey !== null) {
    await checkSignature(mirror, newest, mirror.publicKey)
  }
  return newest
}
