import type { Logger } from '../../shared/log.js'
import { didNothing, type JobResult } from './job.js'

/**
 * Logs how the runs of one job end. What fails every two seconds for as long as a server is away is told once when it
 * begins, and once when it is over.
 */
export class RunLog {
  /** What the last run failed with or waited for; null: it succeeded. */
  #failedWith: string | null = null

  /** A run that found nothing to do is no news, unless the one before it failed. */
  succeeded(log: Logger, result: JobResult): void {
    if (this.#failedWith !== null) {
      log.info({ result }, 'job succeeds again')
    } else {
      log[didNothing(result) ? 'debug' : 'info']({ result }, 'job done')
    }
    this.#failedWith = null
  }

  /** Every two seconds, as long as the other job takes: said once. */
  waiting(log: Logger, result: JobResult): void {
    const words = `waits for ${result['waitingFor']}`
    log[words === this.#failedWith ? 'debug' : 'info']({ result }, 'job waits for another job')
    this.#failedWith = words
  }

  /** @param words the same for the same fault */
  failed(log: Logger, error: unknown, words: string): void {
    log[words === this.#failedWith ? 'debug' : 'error']({ err: error }, 'job failed')
    this.#failedWith = words
  }
}
