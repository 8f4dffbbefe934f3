import { stateKeys } from '../../../shared/state-keys.js'
import { buildIndex } from '../indexing/build-index.js'
import { replayLog } from '../indexing/replay-log.js'
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

  async hasWork({ catalog, changes }) {
    const position = await catalog.readState<number>(stateKeys.syncPosition)
    return (await changes.bounds()).head !== (position ?? 0)
  },

  async run(context) {
    const { catalog, index, changes, lock } = context
    const position = await catalog.readState<number>(stateKeys.syncPosition)
    const { settings, documents } = await index.status()
    const { horizon } = await changes.bounds()
    // An empty index takes all changes from the start, also those whose removals were dropped.
    const from = documents === 0 ? 0 : position
    const isOutdated = settings !== index.settings || from === null || (documents > 0 && from < horizon)
    if (isOutdated || (documents === 0 && (await lacksMany(context)) && (await canBuild(context)))) {
      return replaceIndex(context)
    }
    const counts = await replayLog(context, from, 'live', (reached) =>
      catalog.writeState(stateKeys.syncPosition, reached, lock),
    )
    return { ...counts }
  },

  followedBy: (result) => (result['rebuilt'] === true ? ['write-exports'] : []),
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
