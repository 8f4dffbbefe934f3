import type { Mirror } from './mirror.js'
import { checkSignature } from './signed-manifest.js'
import { type Snapshot, Snapshots } from './snapshots.js'

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
