import { stateKeys } from '../../../shared/state-keys.js'
import { replayLog } from '../indexing/replay-log.js'
import type { Job } from '../runner/job.js'
import { withLock } from '../runner/wait-for-lock.js'
import { syncIndexName } from './sync-index.js'

/** The maximum wait for a running sync. */
const syncTimeoutMs = 120_000

/** Embeds the skills that were indexed while the embedder did not answer. */
export const embedSkills: Job = {
  name: 'embed-skills',
  summary: 'embed the skills that were indexed while the embedder did not answer',
  everySeconds: 60,

  hasWork: async ({ catalog }) => (await catalog.readState(stateKeys.unembeddedSince)) !== null,

  async run(context) {
    const since = await context.catalog.readState<number>(stateKeys.unembeddedSince)
    if (since === null) {
      return { published: 0 }
    }
    // Asked before the lock is taken: while it does not answer, the sync goes on.
    await context.embedder?.embed(['skill'], 'query', context.signal)
    return withLock(context, syncIndexName, syncTimeoutMs, async (lock) => {
      const own = { ...context, lock, mustEmbed: true }
      const { published } = await replayLog(own, since, 'live', async () => undefined)
      await context.catalog.writeState(stateKeys.unembeddedSince, null, lock)
      return { published }
    })
  },
}
