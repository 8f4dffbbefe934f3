import type { StateStore } from '../../../shared/ports/catalog.js'
import type { DocumentIngest } from '../../../shared/ports/document-ingest.js'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import { operatorMessage } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { ingestName } from '../../../shared/state-keys.js'
import type { Job } from '../runner/job.js'
import { requestUnpaused } from '../runner/run-job.js'
import { syncIndex } from './sync-index.js'

/**
 * Reads the documents that other applications have written to the catalog's database, and logs the changes of published
 * skills. Only on servers: in an embedded catalog each write is logged at once.
 */
export const ingest: Job = {
  name: ingestName,
  summary: "ingest new and changed documents of the catalog's database, and log the changes",
  everySeconds: 10,

  hasWork: async ({ ingest: documents }) => (await documents?.hasNew()) ?? false,

  async run({ ingest: documents, lock, signal, progress, report }) {
    const counts = { published: 0, removed: 0, rejected: 0 }
    for (let more = true; documents !== null && more; ) {
      signal.throwIfAborted()
      const { logged, rejected, ...batch } = await documents.ingest(lock, signal)
      for (const { id, reason } of rejected) {
        report({ kind: 'rejected', id, reason })
      }
      const published = logged.filter(({ contentHash }) => contentHash !== null).length
      counts.published += published
      counts.removed += logged.length - published
      counts.rejected += rejected.length
      progress.add(logged.length)
      more = batch.more
    }
    return counts
  },

  followedBy: ({ published, removed }) => (Number(published) + Number(removed) > 0 ? [syncIndex.name] : []),
}

/** How often documents are looked for while the database reports no writes, in seconds. */
const lookEverySeconds = 2

/**
 * Requests the ingest as soon as the database reports written documents, and often while it reports none. By itself the
 * job runs in case a request was lost.
 *
 * @param everySeconds as configured; absent: `lookEverySeconds`
 * @returns a function that ends this
 */
export function followDocuments(
  documents: Pick<DocumentIngest, 'watch'>,
  catalog: Pick<StateStore, 'readState'>,
  scheduler: Pick<JobScheduler, 'request'>,
  log: Logger,
  everySeconds = lookEverySeconds,
): () => Promise<void> {
  let fault: string | null = null
  // Requests share a run until it starts. Where one fails, the scheduled run says why.
  const onChange = () => void requestUnpaused(ingestName, catalog, scheduler).catch(() => undefined)
  const onState = (error: unknown) => {
    const words = error === null ? null : operatorMessage(error)
    if (words !== null && words !== fault) {
      log.warn({ err: error }, 'the change stream fails: writes of other applications are found at the next look only')
    } else if (words === null && fault !== null) {
      log.info('the change stream reports writes of other applications again')
    }
    fault = words
  }
  return documents.watch(onChange, onState, everySeconds * 1_000)
}
