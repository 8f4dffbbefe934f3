import { buildIndex } from '../indexing/build-index.js'
import type { Job } from '../runner/job.js'

/**
 * Builds the search index again next to the live one, then swaps the two. Runs only when triggered: the sync itself
 * replaces an index with other settings.
 */
export const rebuildIndex: Job = {
  name: 'rebuild-index',
  summary: 'build the search index again next to the live one, then swap the two',
  everySeconds: null,
  run: (context) => buildIndex(context, null),
  followedBy: () => ['sync-index', 'write-exports'],
}
