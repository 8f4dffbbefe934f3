import { buildIndex } from '../build-index.js'
import type { Job } from '../job.js'

/**
 * Builds the search index anew beside the live one, then swaps the two. Only by hand: an index of other settings is
 * replaced by the sync itself.
 */
export const rebuildIndex: Job = {
  name: 'rebuild-index',
  summary: 'build the search index anew beside the live one, then swap the two',
  everySeconds: null,
  run: (context) => buildIndex(context, { holdsSyncLock: false }),
  followedBy: () => ['write-exports'],
}
