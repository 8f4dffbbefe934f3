import type { DocumentIngest } from '../../../shared/ports/document-ingest.js'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import type { StateStore } from '../../../shared/ports/state-store.js'
import { operatorMessage } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { isPaused } from './paused-jobs.js'

/**
 * Requests the ingest as soon as the database reports written documents, instead of at its next scheduled run.
 *
 * @param jobName of the job that ingests them
 * @returns a function that ends this
 */
export function followDocuments(
  documents: Pick<DocumentIngest, 'watch'>,
  jobName: string,
  catalog: Pick<StateStore, 'readState'>,
  scheduler: Pick<JobScheduler, 'request'>,
  log: Logger,
): () => Promise<void> {
  let fault: string | null = null
  const request = async () => {
    if (!(await isPaused(catalog, jobName))) {
      await scheduler.request(jobName)
    }
  }
  const onChange = () => {
    // Requests share a run until it starts. Where one fails, the scheduled run says why.
    void request().catch(() => undefined)
  }
  return documents.watch(onChange, (error) => {
    const words = error === null ? null : operatorMessage(error)
    if (words !== null && words !== fault) {
      log.warn({ err: error }, 'the change stream fails: writes of other applications are found at the next look only')
    } else if (words === null && fault !== null) {
      log.info('the change stream reports writes of other applications again')
    }
    fault = words
  })
}
