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
    const build = async (own: IndexContext) => {
      // Fails soon where one of several servers is down.
      await (own.index.address === undefined ? null : own.index.status())
      return buildIndex(own, null)
    }
    return atEachReplica(context, build, replicas)
  },

  followedBy: () => ['sync-index', 'write-exports'],
}

/** The servers whose rebuild was interrupted: the next rebuild continues with these. */
export async function interruptedRebuilds({
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
