import { setTimeout as sleep } from 'node:timers/promises'
import type { EnqueuedTask, Meilisearch, Task } from 'meilisearch'
import { noAnswer } from './client.js'
import type { Retries } from './retries.js'

/** A task that takes longer is not lost: the next run of the job finds its result. */
const taskTimeoutMs = 600_000

/** Pauses between requests: short at first, since small tasks end soon, then longer. */
const firstPauseMs = 10
const maxPauseMs = 100

/** A caller that waits for a task. */
interface Waiting {
  deadline: number
  resolve: (ended: Task | null) => void
  reject: (error: unknown) => void
}

/** Waits for the ends of tasks, with one request for all of them. */
export class TaskFollower {
  readonly #client: Meilisearch
  readonly #retries: Retries
  readonly #waiting = new Map<number, Waiting>()
  #isPolling = false

  constructor(client: Meilisearch, retries: Retries) {
    this.#client = client
    this.#retries = retries
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
    for (let pauseMs = firstPauseMs; this.#waiting.size > 0; pauseMs = Math.min(maxPauseMs, pauseMs * 1.3)) {
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
    const { results } = await this.#retries.persist(() => this.#client.tasks.getTasks({ uids, limit: uids.length }))
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

/** The error of a task that did not succeed, for the log. */
export const taskError = ({ uid, type, status, error }: Task): Error =>
  new Error(
    `Meilisearch's task ${uid} (${type}) ended as ${status}${error === null ? '' : `: ${error.code}: ${error.message}`}`,
  )
