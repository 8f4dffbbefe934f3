import { AppError, unavailable } from '../../shared/errors.js'
import type { Logger } from '../../shared/log.js'

export interface DependencyOptions {
  /** As the log and the client read it, for instance `catalog`. */
  name: string
  /** The problem's code when it does not answer, for instance `catalog_unavailable`. */
  code: string
  log: Logger
  /** How long one call may take. Default 5,000. */
  timeLimitMs?: number
  /** An outage is over when a call succeeds this long after the last failure. Default 30,000. */
  quietMs?: number
  /** Epoch milliseconds. */
  clock?: () => number
}

/** When a client whose request failed may ask again. */
const retryAfterSeconds = 5

/**
 * One of the parts that answers are made from. Bounds every call in time, turns whatever goes wrong into a 503 that
 * tells nothing of the inside, and logs an outage once when it begins and once when it is over: a log line for each
 * failed request would bury the cause.
 */
export class Dependency {
  readonly #options: Required<DependencyOptions>
  #downSinceMs: number | null = null
  #lastFailureMs = 0

  constructor(options: DependencyOptions) {
    this.#options = { timeLimitMs: 5_000, quietMs: 30_000, clock: Date.now, ...options }
  }

  /**
   * Does one call.
   *
   * @param dropLate is given a result that came after the time limit, when nobody waits for it any more
   * @throws AppError as the call did, if it is the client's concern (below 500, or a 503 that says something else than
   * that the part is unavailable), else a 503
   */
  async ask<T>(call: () => Promise<T>, dropLate: (late: T) => void = () => {}): Promise<T> {
    const { timeLimitMs } = this.#options
    let late = false
    let timer: NodeJS.Timeout | undefined
    const timeLimit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        late = true
        reject(new Error(`no answer within ${timeLimitMs} ms`))
      }, timeLimitMs)
    })
    try {
      const called = call()
      called.then(
        (result) => (late ? dropLate(result) : undefined),
        () => undefined,
      )
      const result = await Promise.race([called, timeLimit])
      this.#succeeded()
      return result
    } catch (error) {
      if (error instanceof AppError && (error.status < 500 || this.#isAnotherCode(error))) {
        throw error
      }
      throw this.#failed(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Whether the part answers, but not this: no outage. */
  #isAnotherCode({ status, code }: AppError): boolean {
    return status === 503 && code !== this.#options.code
  }

  #succeeded(): void {
    const { name, log, clock, quietMs } = this.#options
    if (this.#downSinceMs !== null && clock() - this.#lastFailureMs >= quietMs) {
      log.info({ dependency: name, downMs: this.#lastFailureMs - this.#downSinceMs }, 'dependency answers again')
      this.#downSinceMs = null
    }
  }

  #failed(error: unknown): AppError {
    const { name, code, log, clock } = this.#options
    this.#lastFailureMs = clock()
    if (this.#downSinceMs === null) {
      this.#downSinceMs = this.#lastFailureMs
      log.error({ dependency: name, err: error }, 'dependency does not answer')
    }
    return error instanceof AppError && error.status === 503
      ? error
      : unavailable(
          code,
          `The ${name} does not answer just now. Try again in ${retryAfterSeconds} s.`,
          retryAfterSeconds,
          error,
        )
  }
}
