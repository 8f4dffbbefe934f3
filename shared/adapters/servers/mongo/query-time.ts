import { MongoServerError } from 'mongodb'

/**
 * The maximum total time of the queries of one request. Less than the query service waits for a backend (5 s), so that
 * MongoDB ends them before the request times out.
 */
const requestMs = 4_000

/** The time limit of one query of a job. Less than the driver's timeout (120 s), so that MongoDB ends it. */
const jobMs = 110_000

/** MaxTimeMSExpired. */
const timeExpired = 50

/** A time limit for several queries together. Each must be sent with `limit()`, so that MongoDB ends it in time. */
export class QueryTime {
  readonly #endMs: number

  /** @param limitMs from now on; default: the limit of a request */
  constructor(limitMs = requestMs) {
    this.#endMs = performance.now() + limitMs
  }

  /**
   * The options of the next query: the remaining time, at least 1 ms (0 would mean no limit).
   *
   * @param maxMs the maximum for this query
   */
  limit(maxMs = Number.POSITIVE_INFINITY): { maxTimeMS: number } {
    return { maxTimeMS: Math.max(1, Math.ceil(Math.min(maxMs, this.#endMs - performance.now()))) }
  }
}

/** The time limit for several queries of a job, for which no client waits. */
export const jobTime = (): QueryTime => new QueryTime(jobMs)

/** The options of one query of a job. */
export const jobLimit = { maxTimeMS: jobMs }

/** The options of a query for at most so many documents, so that they come with its first answer. */
export const inOneAnswer = (limit: number) => ({ limit, batchSize: limit })

/** Whether MongoDB ended a query by its time limit. */
export const isTimeExpired = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === timeExpired
