import { AppError, unavailable } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'

export interface DependencyOptions {
  /** Its name in the log and in problems, for instance `catalog`. */
  name: string
  /** The problem code of an outage, for instance `catalog_unavailable`. */
  code: string
  log: Logger
  /** Time limit of one call. Default 5,000. */
  timeLimitMs?: number
  /** An outage is over when a call succeeds this long after the last failure. Default 30,000. */
  quietMs?: number
  /** Epoch milliseconds. */
  clock?: () => number
}

/** Retry-After of a failed request. */
const retryAfterSeconds = 5

/**
 * One backend of the service. Limits the time of every call, turns failures into a 503 without internals, and logs an
 * outage once when it begins and once when it ends: a log line for each failed request would bury the cause.
 */
export class Dependency {
  readonly #options: Required<DependencyOptions>
  #downSinceMs: number | null = null
  #lastFailureMs = 0

  constructor(options: DependencyOptions) {
    this.#options = { timeLimitMs: 5_000, quietMs: 30_000, clock: Date.now, ...options }
  }

  /**
   * Makes one call.
   *
   * @param dropLate receives a result that arrives after the time limit, to release it
   * @throws AppError of the call itself if it concerns the client (below 500, or a 503 that is no outage), else a 503
   */
  async call<T>(call: () => Promise<T>, dropLate: (late: T) => void = () => {}): Promise<T> {
    try {
      const result = await withinTime(call(), this.#options.timeLimitMs, dropLate)
      this.#succeeded()
      return result
    } catch (error) {
      if (error instanceof AppError && (error.status < 500 || this.#isAnotherCode(error))) {
        throw error
      }
      throw this.#failed(error)
    }
  }

  /** Whether the backend answered with an error that is no outage. */
  #isAnotherCode({ status, code }: AppError): boolean {
    return status === 503 && code !== this.#options.code
  }

  #succeeded(): void {
    const { name, log, clock, quietMs } = this.#options
    if (this.#downSinceMs !== null && clock() - this.#lastFailureMs >= quietMs) {
      log.info({ dependency: name, downMs: this.#lastFailureMs - this.#downSinceMs }, 'dependency recovered')
      this.#downSinceMs = null
    }
  }

  #failed(error: unknown): AppError {
    const { name, code, log, clock } = this.#options
    this.#lastFailureMs = clock()
    if (this.#downSinceMs === null) {
      this.#downSinceMs = this.#lastFailureMs
      log.error({ dependency: name, err: error }, 'dependency unavailable')
    }
    return error instanceof AppError && error.status === 503
      ? error
      : unavailable(code, `The ${name} is unavailable. Try again in ${retryAfterSeconds} s.`, retryAfterSeconds, error)
  }
}

/** The result of a call. @throws Error when it does not settle in time; a later result goes to `dropLate` */
const withinTime = <T>(called: Promise<T>, timeLimitMs: number, dropLate: (late: T) => void): Promise<T> =>
  new Promise((resolve, reject) => {
    let take: (result: T) => void = resolve
    const timer = setTimeout(() => {
      take = dropLate
      reject(new Error(`no answer within ${timeLimitMs} ms`))
    }, timeLimitMs)
    called.then(
      (result) => {
        clearTimeout(timer)
        take(result)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
