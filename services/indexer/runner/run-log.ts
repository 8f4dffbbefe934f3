import type { Logger } from '../../../shared/runtime/log.js'
import { didNothing, type JobResult } from './job.js'

/**
 * Logs the ends of one job's runs. A fault that fails a run every two seconds, such as an unavailable server, is logged
 * once when it begins, and once when it is over.
 */
export class RunLog {
  /** The error of the last run, or the job that it waited for; null: it succeeded. */
  #failedWith: string | null = null

  /** A run that found no work is logged for debugging only, unless the run before it failed. */
  succeeded(log: Logger, result: JobResult): void {
    if (this.#failedWith !== null) {
      log.info({ result }, 'job succeeds again')
    } else {
      log[didNothing(result) ? 'debug' : 'info']({ result }, 'job done')
    }
    this.#failedWith = null
  }

  /** Repeats every two seconds while the other job runs, and is logged once. */
  waiting(log: Logger, result: JobResult): void {
    const words = `waits for ${result['waitingFor']}`
    log[words === this.#failedWith ? 'debug' : 'info']({ result }, 'job waits for another job')
    this.#failedWith = words
  }

  /** @param words equal for equal faults */
  failed(log: Logger, error: unknown, words: string): void {
    log[words === this.#failedWith ? 'debug' : 'error']({ err: error }, 'job failed')
    this.#failedWith = words
  }
}
