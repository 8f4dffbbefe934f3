import { stateKeys } from '../../../shared/state-keys.js'
import { compareIndex } from '../compare-index.js'
import type { Job } from '../job.js'

/** Compares the live index with the catalog and reports every difference. It mends nothing: a rebuild does. */
export const verifyIndex: Job = {
  name: 'verify-index',
  summary: 'compare the search index with the catalog and report every difference',
  everySeconds: 86_400,

  async run(context) {
    const watermark = await context.catalog.readState<string>(stateKeys.syncWatermark)
    const counts = await compareIndex(context, 'live', watermark)
    return { ...counts }
  },
}
