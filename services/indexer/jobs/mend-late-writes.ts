import { stateKeys } from '../../../shared/state-keys.js'
import type { Job } from '../job.js'
import { verifyIndex } from './verify-index.js'

/**
 * Looks for writes that reached the live index behind newer ones, as when a process stood still, or the network did,
 * between the last look at a lock and the write. Where there was one, the index is compared with the catalog and
 * mended. How far it has looked is noted after that, so that a run that is cut short is done again.
 */
export const mendLateWrites: Job = {
  name: 'mend-late-writes',
  summary: 'look for writes that reached the search index too late, and mend what they left',
  everySeconds: 10,

  async run(context) {
    const { catalog, index } = context
    const before = await catalog.readState<string>(stateKeys.lateWrites)
    const { count, position } = await index.lateWrites(before)
    const mended = count === 0 ? {} : await verifyIndex.run(context)
    if (position !== before) {
      await catalog.writeState(stateKeys.lateWrites, position)
    }
    return { lateWrites: count, ...mended }
  },
}
