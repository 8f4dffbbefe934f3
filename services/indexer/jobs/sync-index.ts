import { ofReplica, readSyncPosition, stateKeys } from '../../../shared/state-keys.js'
import { buildIndex } from '../indexing/build-index.js'
import { replayLog } from '../indexing/replay-log.js'
import { keepingUp, type Replica, replicasOf } from '../indexing/replicas.js'
import type { Job, JobContext, JobResult } from '../runner/job.js'
import { withLock } from '../runner/wait-for-lock.js'
import { rebuildIndex } from './rebuild-index.js'

export const syncIndexName = 'sync-index'

/**
 * Updates the live index to the head of the change log.
 *
 * The position is saved only after the index has confirmed all changes up to it: a run after a crash repeats work and
 * never skips any. An index that was never built, has other settings, or is so old that removals since its position
 * have been dropped from the log, is built again instead. So is an empty one that lacks many skills: a build takes them in
 * a faster order.
 */
export const syncIndex: Job = {
  name: syncIndexName,
  summary: 'bring the search index up to date with the change log',
  everySeconds: 0.5,

  async hasWork(stores) {
    const { head } = await stores.changes.bounds()
    const behind = replicasOf(stores.index).map(
      async (replica) =>
        replica.isFailing !== true && head !== ((await readSyncPosition(stores.catalog, replica)) ?? 0),
    )
    return (await Promise.all(behind)).includes(true)
  },

  async run(context) {
    const { index, catalog, changes } = context
    if (index.replicas === undefined) {
      return syncOne(context)
    }
    const positions = new Map<Replica, number>()
    for (const replica of index.replicas) {
      // Servers that fail come last, so that no other one waits for them.
      positions.set(replica, replica.isFailing ? -1 : ((await readSyncPosition(catalog, replica)) ?? 0))
    }
    const newestFirst = [...index.replicas].sort((a, b) => (positions.get(b) ?? 0) - (positions.get(a) ?? 0))
    const isBehind = async (replica: Replica) =>
      (await changes.bounds()).head !== ((await readSyncPosition(catalog, replica)) ?? 0)
    return keepingUp(context, newestFirst, isBehind, syncOne)
  },

  followedBy: (result) => (result['rebuilt'] === true ? ['write-exports'] : []),
}

/** Updates one server of the index, or the only one. */
async function syncOne(context: JobContext): Promise<JobResult> {
  const { catalog, index, changes, lock } = context
  const keep = (reached: number) => catalog.writeState(ofReplica(stateKeys.syncPosition, index), reached, lock)
  const { settings, documents } = await index.status()
  const { horizon } = await changes.bounds()
  let position = await readSyncPosition(catalog, index)
  if (index.address !== undefined) {
    const known = position
    // A server that was the only one before continues at its position. An empty one starts at 0, without searches.
    position = documents === 0 ? 0 : (known ?? (await catalog.readState<number>(stateKeys.syncPosition)))
    if (position !== null && position !== known) {
      await keep(position)
    }
  }
  // An empty index takes all changes from the start, also those whose removals were dropped.
  const from = documents === 0 ? 0 : position
  const isOutdated = settings !== index.settings || from === null || (documents > 0 && from < horizon)
  if (isOutdated || (documents === 0 && (await lacksMany(context)) && (await canBuild(context)))) {
    return replaceIndex(context)
  }
  const counts = await replayLog(context, from, 'live', keep)
  return { ...counts }
}

/** Whether an empty index lacks more than a batch. */
async function lacksMany({ changes, index }: JobContext): Promise<boolean> {
  return (await changes.after(0, index.documentsPerApply)).changes.length === index.documentsPerApply
}

/** A build needs the embedder: without it, the index takes skills without their vectors. */
async function canBuild({ embedder }: JobContext): Promise<boolean> {
  return (
    embedder === null ||
    (await embedder.dimensions().then(
      () => true,
      () => false,
    ))
  )
}

/** @throws AppError `job_running` when another rebuild is in progress */
const replaceIndex = (context: JobContext): Promise<JobResult> =>
  withLock(context, rebuildIndex.name, 0, async (lock) => ({
    rebuilt: true,
    ...(await buildIndex({ ...context, lock }, context.lock)),
  }))
