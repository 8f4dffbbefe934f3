import { setTimeout as sleep } from 'node:timers/promises'
import { type Meilisearch, MeilisearchApiError } from 'meilisearch'
import { isFromServer, refusalCode } from './meili-client.js'

/** How writes that fail are tried again; tests shorten it. */
export interface RetryTiming {
  /** For how long one request is tried again before the run that made it is given up. */
  patienceMs: number
  /** The first pause is at most this long; each further one may be twice as long. */
  firstPauseMs: number
}

const defaultRetryTiming: RetryTiming = { patienceMs: 30_000, firstPauseMs: 200 }

const longestPauseMs = 5_000

/** Says that the disk, or the queue of tasks, is full: there is no code for the latter alone. */
const isFull = (error: unknown): boolean => refusalCode(error) === 'no_space_left_on_device'

const statusOf = (error: unknown): number | null =>
  error instanceof MeilisearchApiError ? error.response.status : null

/** Whether the request was refused for what it said, and will be again. */
export function isRefusal(error: unknown): boolean {
  const status = statusOf(error)
  return status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429 && !isFull(error)
}

/** Whether the server may have done what it was asked for without our hearing of it. */
const isAmbiguous = (error: unknown): boolean => {
  const status = statusOf(error)
  return status === null || status === 408 || status >= 500
}

/** Does requests again that failed for a reason that passes. The client itself tries nothing twice. */
export class Retries {
  readonly #client: Meilisearch
  readonly #timing: RetryTiming
  readonly #indexUids: string[]

  /** @param indexUids the indexes whose finished tasks may be deleted where the queue of tasks is full */
  constructor(client: Meilisearch, indexUids: string[], timing: RetryTiming = defaultRetryTiming) {
    this.#client = client
    this.#timing = timing
    this.#indexUids = indexUids
  }

  /**
   * @param request may be made several times
   * @param found looks for what an earlier try has done all the same, where to do it twice would be wrong; null: nothing
   * @throws what the last try threw, once the time is up or the server has refused the request
   */
  async persist<T>(request: () => Promise<T>, found: () => Promise<T | null> = async () => null): Promise<T> {
    const deadline = performance.now() + this.#timing.patienceMs
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await request()
      } catch (error) {
        const pauseMs = this.#pauseMs(attempt)
        if (!isFromServer(error) || isRefusal(error) || performance.now() + pauseMs > deadline) {
          throw error
        }
        if (isFull(error)) {
          await this.#makeRoom()
        }
        await sleep(pauseMs)
        const done = isAmbiguous(error) ? await this.persist(found) : null
        if (done !== null) {
          return done
        }
      }
    }
  }

  /** With full jitter, so that several that failed together do not come back together. */
  #pauseMs(attempt: number): number {
    return Math.random() * Math.min(longestPauseMs, this.#timing.firstPauseMs * 2 ** attempt)
  }

  /** Finished tasks fill the queue as others do. Where we may not delete them, time or an operator has to help. */
  async #makeRoom(): Promise<void> {
    try {
      const deletion = await this.#client.tasks.deleteTasks({
        indexUids: this.#indexUids,
        statuses: ['succeeded', 'failed', 'canceled'],
      })
      await this.#client.tasks.waitForTask(deletion, { timeout: longestPauseMs })
    } catch (error) {
      if (!isFromServer(error)) {
        throw error
      }
    }
  }
}
