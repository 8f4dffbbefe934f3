import { ingestName } from '../../../shared/state-keys.js'
import type { Job } from '../runner/job.js'
import { syncIndexName } from './sync-index.js'

/**
 * Reads the documents that other applications have written to the catalog's database, and logs the changes of published
 * skills. Only on servers: in an embedded catalog each write is logged at once.
 */
export const ingest: Job = {
  name: ingestName,
  summary: "ingest new and changed documents of the catalog's database, and log the changes",
  everySeconds: 2,

  hasWork: async ({ ingest: documents }) => (await documents?.hasNew()) ?? false,

  async run({ ingest: documents, lock, signal, progress, report }) {
    const counts = { published: 0, removed: 0, rejected: 0 }
    for (let more = documents !== null; more; ) {
      signal.throwIfAborted()
      const batch = await documents?.ingest(lock, signal)
      const { logged = [], rejected = [] } = batch ?? {}
      for (const { id, reason } of rejected) {
        report({ kind: 'rejected', id, reason })
      }
      const published = logged.filter(({ contentHash }) => contentHash !== null).length
      counts.published += published
      counts.removed += logged.length - published
      counts.rejected += rejected.length
      progress.add(logged.length)
      more = batch?.more ?? false
    }
    return counts
  },

  followedBy: ({ published, removed }) => (Number(published) + Number(removed) > 0 ? [syncIndexName] : []),
}
