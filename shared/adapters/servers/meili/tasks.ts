import { setTimeout as sleep } from 'node:timers/promises'
import { type EnqueuedTask, type Meilisearch, MeilisearchApiError, type Task } from 'meilisearch'
import { isFromServer, noAnswer, refusalCode } from './client.js'

/** Times of retries; tests shorten them. */
export interface RetryTiming {
  /** Milliseconds for all attempts of one request. */
  timeoutMs: number
  /** Maximum of the first pause, doubled for each further one. */
  firstPauseMs: number
}

const defaultRetryTiming: RetryTiming = { timeoutMs: 30_000, firstPauseMs: 200 }

const maxPauseMs = 5_000

/** A task that takes longer is not lost: the next run of the job finds its result. */
const taskTimeoutMs = 600_000

/** Pauses between looks at tasks: short at first, since small tasks end soon, then longer. */
const lookMs = { first: 10, longest: 100 }

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

/** The error of a task that did not succeed, for the log. */
export const taskError = ({ uid, type, status, error }: Task): Error =>
  new Error(
    `Meilisearch's task ${uid} (${type}) ended as ${status}${error === null ? '' : `: ${error.code}: ${error.message}`}`,
  )

interface Waiting {
  deadline: number
  resolve: (ended: Task | null) => void
  reject: (error: unknown) => void
}

/**
 * Sends the requests of jobs, again after temporary errors, since the client itself retries nothing; and waits for the ends
 * of the tasks that they start, with one request for all of them.
 */
export class MeiliTasks {
  readonly #client: Meilisearch
  readonly #timing: RetryTiming
  readonly #indexUids: string[]
  readonly #waiting = new Map<number, Waiting>()
  #isPolling = false

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
        // Full jitter: requests that failed together must not be repeated together.
        const pauseMs = Math.random() * Math.min(maxPauseMs, this.#timing.firstPauseMs * 2 ** attempt)
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

  /**
   * @returns the ended task; null when the server has deleted it from its list, as old ones are: it may have succeeded
   * @throws AppError `search_unavailable` (503) when the task does not end in time
   */
  ended({ taskUid }: Pick<EnqueuedTask, 'taskUid'>): Promise<Task | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(taskUid, { deadline: performance.now() + taskTimeoutMs, resolve, reject })
      if (!this.#isPolling) {
        this.#isPolling = true
        void this.#pollUntilAllEnded()
      }
    })
  }

  async #pollUntilAllEnded(): Promise<void> {
    for (let pauseMs = lookMs.first; this.#waiting.size > 0; pauseMs = Math.min(lookMs.longest, pauseMs * 1.3)) {
      await sleep(pauseMs)
      try {
        await this.#poll()
      } catch (error) {
        for (const { reject } of this.#waiting.values()) {
          reject(error)
        }
        this.#waiting.clear()
      }
    }
    this.#isPolling = false
  }

  async #poll(): Promise<void> {
    const uids = [...this.#waiting.keys()]
    const { results } = await this.persist(() => this.#client.tasks.getTasks({ uids, limit: uids.length }))
    const tasks = new Map(results.map((task) => [task.uid, task]))
    for (const uid of uids) {
      const waiting = this.#waiting.get(uid)
      const task = tasks.get(uid) ?? null
      if (task === null || !['enqueued', 'processing'].includes(task.status)) {
        this.#waiting.delete(uid)
        waiting?.resolve(task)
      } else if (waiting !== undefined && performance.now() > waiting.deadline) {
        this.#waiting.delete(uid)
        waiting.reject(noAnswer(new Error(`Meilisearch's task ${uid} has not ended within ${taskTimeoutMs} ms`)))
      }
    }
  }
}
