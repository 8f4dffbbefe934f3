import { operatorMessage } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { didNothing, type JobResult } from './job.js'

/** Words about a fault without the numbers of connections, ports, identities and times. */
const withoutNumbers = (words: string): string => words.replaceAll(/[\da-f]{8,}|\d+/gi, '#')

/**
 * Logs the ends of one job's runs. A fault that fails a run every two seconds, such as an unavailable server, is logged
 * once when it begins, once with each other cause, and once when it is over.
 */
export class RunLog {
  /** The fault of the last run, or the job that it waited for; null: it succeeded. */
  #fault: string | null = null
  /** Why the record of the last run could not be stored; null: it was. */
  #unstored: string | null = null

  /** A run that found no work is logged for debugging only, unless the run before it failed. */
  succeeded(log: Logger, result: JobResult): void {
    if (this.#fault !== null) {
      log.info({ result }, 'job succeeds again')
    } else {
      log[didNothing(result) ? 'debug' : 'info']({ result }, 'job done')
    }
    this.#fault = null
  }

  /** Repeats every two seconds while the other job runs, and is logged once. */
  waiting(log: Logger, result: JobResult): void {
    const isNew = this.#isNew(`waits for ${result['waitingFor']}`)
    log[isNew ? 'info' : 'debug']({ result }, 'job waits for another job')
  }

  /** @param words equal for equal faults, but for numbers in them */
  failed(log: Logger, error: unknown, words: string): void {
    log[this.#isNew(words) ? 'error' : 'debug']({ err: error }, 'job failed')
  }

  /** The record of a run was stored, or could not be. @param error null: it was */
  stored(log: Logger, error: unknown): void {
    const words = error === null ? null : withoutNumbers(operatorMessage(error))
    if (words !== null) {
      log[words === this.#unstored ? 'debug' : 'warn']({ err: error }, 'the end of a job could not be stored')
    }
    this.#unstored = words
  }

  #isNew(words: string): boolean {
    const before = this.#fault
    this.#fault = withoutNumbers(words)
    return this.#fault !== before
  }
}
