import { withLock } from '../../../shared/ports/locks.js'
import type { IndexReplica } from '../../../shared/ports/search-index.js'
import { operatorError } from '../../../shared/runtime/errors.js'
import { ofReplica, readSyncPosition, stateKeys } from '../../../shared/state-keys.js'
import { replayLog } from '../indexing/apply-skills.js'
import { buildIndex, unlessRefused } from '../indexing/build-index.js'
import { atEachReplica } from '../indexing/replicas.js'
import type { IndexContext, Job, JobResult, JobStores } from '../runner/job.js'
import { rebuildIndex } from './rebuild-index.js'

/** How many skills of an index are looked up, to know whether it may be of another catalog. */
const lookedUp = 100

/**
 * Updates the live index to the head of the change log.
 *
 * The position is saved only after the index has confirmed all changes up to it: a run after a crash repeats work and
 * never skips any. An index that was never built, has other settings, or is so old that removals since its position
 * have been dropped from the log, is built again instead. So is an empty one that lacks many skills: a build takes them in
 * a faster order.
 *
 * @throws AppError `index_of_another_catalog` where only a mistake explains the index: MongoDB makes a database of any name
 */
export const syncIndex: Job = {
  name: 'sync-index',
  summary: 'bring the search index up to date with the change log',
  everySeconds: 0.5,

  async hasWork(stores) {
    return (await Promise.all(stores.replicas.map((replica) => isBehind(stores, replica)))).includes(true)
  },

  async run(context) {
    const { replicas, catalog } = context
    const positions = new Map<IndexReplica, number>()
    for (const replica of replicas) {
      // Servers that fail come last, so that no other one waits for them.
      positions.set(replica, replica.isFailing ? -1 : ((await readSyncPosition(catalog, replica)) ?? 0))
    }
    const newestFirst = [...replicas].sort((a, b) => (positions.get(b) ?? 0) - (positions.get(a) ?? 0))
    return atEachReplica(context, syncOne, {
      replicas: newestFirst,
      isBehind: (replica) => isBehind(context, replica),
    })
  },

  followedBy: (result) => (result['rebuilt'] === true ? ['write-exports'] : []),
}

/** Whether a server lacks changes; false while it fails. */
const isBehind = async ({ catalog, changes }: JobStores, replica: IndexReplica): Promise<boolean> =>
  replica.isFailing !== true && (await changes.bounds()).head !== ((await readSyncPosition(catalog, replica)) ?? 0)

/** Updates one server of the index, or the only one. */
async function syncOne(context: IndexContext): Promise<JobResult> {
  const { catalog, index, changes, lock } = context
  const keep = (reached: number) => catalog.writeState(ofReplica(stateKeys.syncPosition, index), reached, lock)
  const { settings, documents } = await index.status()
  const { horizon, complete } = await changes.bounds()
  const known = await readSyncPosition(catalog, index)
  // A server that was the only one before continues at its position. An empty one starts at 0: it takes all changes, also
  // those whose removals were dropped.
  const from = documents === 0 ? 0 : (known ?? (await catalog.readState<number>(stateKeys.syncPosition)))
  // Saved at once, so that a server which has documents by then does not continue at the other position.
  if (index.address !== undefined && from !== null && from !== known) {
    await keep(from)
  }
  const isOutdated = settings !== index.settings || from === null || (documents > 0 && from < horizon)
  if (isOutdated && documents > 0 && complete && !(await isOwn(context, from ?? 0))) {
    throw operatorError(
      'index_of_another_catalog',
      `The search index has ${documents} skills, and none of the first ${lookedUp} was found in this catalog: ` +
        'it may be that of another catalog. Check MONGODB_URL and MEILI_URL; if they are right, run npm run catalog -- rebuild, which replaces the index.',
    )
  }
  if (isOutdated || (documents === 0 && (await lacksMany(context)) && (await canBuild(context)))) {
    return replaceIndex(context)
  }
  const counts = await replayLog(context, from, 'live', keep)
  return { ...counts }
}

/**
 * Whether an index is of this catalog, which has one of its first skills then, in some state. One that an earlier version
 * has built cannot always be listed: it is where this catalog has updated it.
 *
 * @param position up to which the catalog has updated it; 0: never
 */
async function isOwn({ index, catalog }: IndexContext, position: number): Promise<boolean> {
  const first = await unlessRefused(index.list(null, lookedUp, 'live'), [])
  const ids = first.map(({ id }) => id)
  return ids.length === 0 ? position > 0 : (await catalog.findStored('skills', ids, 'fields')).length > 0
}

/** Whether an empty index lacks more than a batch. */
async function lacksMany({ changes, index }: IndexContext): Promise<boolean> {
  return (await changes.after(0, index.documentsPerApply)).changes.length === index.documentsPerApply
}

/** A build needs the embedder: without it, the index takes skills without their vectors. */
async function canBuild({ embedder }: IndexContext): Promise<boolean> {
  return (
    embedder === null ||
    (await embedder.dimensions().then(
      () => true,
      () => false,
    ))
  )
}

/** @throws AppError `job_running` when another rebuild is in progress */
const replaceIndex = (context: IndexContext): Promise<JobResult> =>
  withLock(context, rebuildIndex.name, 0, async (lock) => ({
    rebuilt: true,
    ...(await buildIndex({ ...context, lock }, context.lock)),
  }))
