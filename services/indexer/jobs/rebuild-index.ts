import { setTimeout as sleep } from 'node:timers/promises'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import type { IndexReplica } from '../../../shared/ports/search-index.js'
import { ofReplica, stateKeys } from '../../../shared/state-keys.js'
import { buildIndex } from '../indexing/build-index.js'
import { atEachReplica } from '../indexing/replicas.js'
import type { IndexContext, Job, JobStores } from '../runner/job.js'

/**
 * Builds the search index again next to the live one, then swaps the two; on several servers one after the other. Runs
 * only when triggered: the sync itself replaces an index with other settings.
 */
export const rebuildIndex: Job = {
  name: 'rebuild-index',
  summary: 'build the search index again next to the live one, then swap the two',
  everySeconds: null,

  async run(context) {
    const { catalog, lock } = context
    const interrupted = (await interruptedRebuilds(context)).filter(({ isFailing }) => isFailing !== true)
    const replicas = interrupted.length === 0 ? context.replicas : interrupted
    for (const replica of replicas.length === 1 || interrupted.length > 0 ? [] : replicas) {
      // So that the run after an interrupted one rebuilds the remaining servers, too.
      await catalog.writeState(ofReplica(stateKeys.rebuild, replica), { step: 'wanted' }, lock)
    }
    const progress: IndexContext['progress'] = {
      add: (count, of) => context.progress.add(count, of === undefined ? undefined : of * replicas.length),
    }
    const build = async (own: IndexContext) => {
      // Fails soon where one of several servers is down.
      await (own.index.address === undefined ? null : own.index.status())
      return buildIndex({ ...own, progress }, null)
    }
    return atEachReplica(context, build, { replicas })
  },

  followedBy: () => ['sync-index', 'write-exports'],
}

/**
 * Requests a rebuild where an earlier process did not complete one: it continues with what that one built. Where another
 * process runs it, or the queue still has the run, none is requested, which would follow as one more. A service does not
 * fail for it: where the catalog or the scheduler does not answer, it tries again until they do.
 *
 * @param request requests a run of the job
 * @param againMs milliseconds between two attempts
 */
export async function resumeRebuilds(
  stores: Pick<JobStores, 'catalog' | 'replicas'>,
  scheduler: Pick<JobScheduler, 'request' | 'status'>,
  againMs = 5_000,
): Promise<void> {
  for (;;) {
    try {
      const { running, waiting } = (await scheduler.status()).find(({ name }) => name === rebuildIndex.name) ?? {}
      if (!running && !waiting && (await interruptedRebuilds(stores)).length > 0) {
        await scheduler.request(rebuildIndex.name)
      }
      return
    } catch {
      // The process may end meanwhile.
      await sleep(againMs, undefined, { ref: false })
    }
  }
}

/** The servers whose rebuild was interrupted: the next rebuild continues with these. */
async function interruptedRebuilds({
  catalog,
  replicas,
}: Pick<JobStores, 'catalog' | 'replicas'>): Promise<IndexReplica[]> {
  const interrupted: IndexReplica[] = []
  for (const replica of replicas) {
    if ((await catalog.readState(ofReplica(stateKeys.rebuild, replica))) !== null) {
      interrupted.push(replica)
    }
  }
  return interrupted
}
