import { MongoServerError } from 'mongodb'

/**
 * How long the queries of one request may take together. Less than the query service waits for a backend (5 s), so that
 * MongoDB ends them while the client is still there.
 */
const requestMs = 4_000

/** How long one query of a job may take. Less than the driver waits for an answer (120 s), so that MongoDB ends it. */
const jobMs = 110_000

/** MaxTimeMSExpired. */
const timeExpired = 50

/** The time that several queries have together. Each must be sent with `limit()`, so that MongoDB ends it in time. */
export class QueryTime {
  readonly #endMs: number

  /** @param limitMs from now on; default: what a request has */
  constructor(limitMs = requestMs) {
    this.#endMs = performance.now() + limitMs
  }

  /**
   * The options of the next query: what is left of the time, at least 1 ms (0 would mean no limit).
   *
   * @param maxMs what this query may take at most
   */
  limit(maxMs = Number.POSITIVE_INFINITY): { maxTimeMS: number } {
    return { maxTimeMS: Math.max(1, Math.ceil(Math.min(maxMs, this.#endMs - performance.now()))) }
  }
}

/** The time of several queries of a job, for whose end no client waits. */
export const jobTime = (): QueryTime => new QueryTime(jobMs)

/** The options of one query of a job. */
export const jobLimit = { maxTimeMS: jobMs }

/** Whether MongoDB ended a query because its time was over. */
export const isTimeExpired = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === timeExpired
