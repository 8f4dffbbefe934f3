import { withLock } from '../../../shared/ports/locks.js'
import type { IndexReplica } from '../../../shared/ports/search-index.js'
import { ofReplica, readUnembeddedSince, stateKeys } from '../../../shared/state-keys.js'
import { replayLog } from '../indexing/apply-skills.js'
import { atEachReplica } from '../indexing/replicas.js'
import type { Job, JobStores } from '../runner/job.js'
import { syncIndex } from './sync-index.js'

/** The maximum wait for a running sync. */
const syncTimeoutMs = 120_000

/** Embeds the skills that were indexed while the embedder did not answer. */
export const embedSkills: Job = {
  name: 'embed-skills',
  summary: 'embed the skills that were indexed while the embedder did not answer',
  everySeconds: 60,

  hasWork: async (stores) => (await lacking(stores)).length > 0,

  async run(context) {
    if ((await lacking(context)).length === 0) {
      return { published: 0 }
    }
    // Asked before the lock is taken: while it does not answer, the sync goes on.
    await context.embedder?.embed(['skill'], 'query', context.signal)
    return withLock(context, syncIndex.name, syncTimeoutMs, async (lock) => {
      const locked = { ...context, lock, mustEmbed: true }
      const result = await atEachReplica(locked, async (own) => {
        const since = await readUnembeddedSince(own.catalog, own.index)
        const counts = since === null ? null : await replayLog(own, since, 'live', async () => undefined)
        await own.catalog.writeState(ofReplica(stateKeys.unembeddedSince, own.index), null, lock)
        return { published: counts?.published ?? 0 }
      })
      if (result['unavailable'] === undefined && result['waiting'] === undefined) {
        await context.catalog.writeState(stateKeys.unembeddedSince, null, lock)
      }
      return result
    })
  },
}

/** The servers with skills that lack vectors, without those that fail at the moment. */
async function lacking({ catalog, replicas }: JobStores): Promise<IndexReplica[]> {
  const found: IndexReplica[] = []
  for (const replica of replicas) {
    if (replica.isFailing !== true && (await readUnembeddedSince(catalog, replica)) !== null) {
      found.push(replica)
    }
  }
  return found
}
