import type { DocumentIngest } from '../../../shared/ports/document-ingest.js'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import type { StateStore } from '../../../shared/ports/state-store.js'
import { operatorMessage } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { isPaused } from './paused-jobs.js'

/**
 * Triggers the ingest as soon as the database reports written documents, instead of at its next scheduled run.
 *
 * @param jobName of the job that ingests them
 * @returns a function that ends this
 */
export function followDocuments(
  documents: Pick<DocumentIngest, 'watch'>,
  jobName: string,
  catalog: Pick<StateStore, 'readState'>,
  scheduler: Pick<JobScheduler, 'trigger'>,
  log: Logger,
): () => Promise<void> {
  let isRunning = false
  let hasChanged = false
  let fault: string | null = null
  const onChange = () => {
    hasChanged = true
    if (!isRunning) {
      isRunning = true
      void ingestWhileChanging().finally(() => {
        isRunning = false
      })
    }
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

  /** One more run ingests all changes that arrive during a run. */
  async function ingestWhileChanging(): Promise<void> {
    while (hasChanged) {
      hasChanged = false
      try {
        if (!(await isPaused(catalog, jobName))) {
          await scheduler.trigger(jobName)
        }
      } catch {
        // The scheduled run logs the error.
      }
    }
  }
}
