import { setTimeout as sleep } from 'node:timers/promises'
import { type Meilisearch, MeilisearchApiError } from 'meilisearch'
import { isFromServer, refusalCode } from './client.js'

/** Times of retries; tests shorten them. */
export interface RetryTiming {
  /** Milliseconds for all attempts of one request. */
  timeoutMs: number
  /** Maximum of the first pause, doubled for each further one. */
  firstPauseMs: number
}

const defaultRetryTiming: RetryTiming = { timeoutMs: 30_000, firstPauseMs: 200 }

const maxPauseMs = 5_000

/** Whether the disk or the queue of tasks is full; both have one code. */
const isFull = (error: unknown): boolean => refusalCode(error) === 'no_space_left_on_device'

const statusOf = (error: unknown): number | null =>
  error instanceof MeilisearchApiError ? error.response.status : null

/** Whether the server refused the request, and would refuse it again. */
export function isRefusal(error: unknown): boolean {
  const status = statusOf(error)
  return status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429 && !isFull(error)
}

/** Whether the server may have processed the request although its response did not arrive. */
const isAmbiguous = (error: unknown): boolean => {
  const status = statusOf(error)
  return status === null || status === 408 || status >= 500
}

/** Retries requests after temporary errors. The client itself retries nothing. */
export class Retries {
  readonly #client: Meilisearch
  readonly #timing: RetryTiming
  readonly #indexUids: string[]

  /** @param indexUids indexes whose finished tasks are deleted when the queue of tasks is full */
  constructor(client: Meilisearch, indexUids: string[], timing: RetryTiming = defaultRetryTiming) {
    this.#client = client
    this.#timing = timing
    this.#indexUids = indexUids
  }

  /**
   * @param request may be sent several times
   * @param found for requests that must not be processed twice: returns the result of an attempt whose response did not
   *   arrive; null: it was not processed
   * @throws the error of the last attempt, after the timeout or a refusal
   */
  async persist<T>(request: () => Promise<T>, found: () => Promise<T | null> = async () => null): Promise<T> {
    const deadline = performance.now() + this.#timing.timeoutMs
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

  /** Full jitter: requests that failed together must not be repeated together. */
  #pauseMs(attempt: number): number {
    return Math.random() * Math.min(maxPauseMs, this.#timing.firstPauseMs * 2 ** attempt)
  }

  /** Deletes finished tasks, which fill the queue as well. An error is ignored: the key may not allow it. */
  async #makeRoom(): Promise<void> {
    try {
      const deletion = await this.#client.tasks.deleteTasks({
        indexUids: this.#indexUids,
        statuses: ['succeeded', 'failed', 'canceled'],
      })
      await this.#client.tasks.waitForTask(deletion, { timeout: maxPauseMs })
    } catch (error) {
      if (!isFromServer(error)) {
        throw error
      }
    }
  }
}
