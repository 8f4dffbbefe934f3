import { setTimeout as sleep } from 'node:timers/promises'
import type { EnqueuedTask, Meilisearch, Task } from 'meilisearch'
import { noAnswer } from './meili-client.js'
import type { Retries } from './meili-retries.js'

/** For how long a task is followed. One that takes longer is not lost: whoever repeats the work finds it done. */
const taskTimeoutMs = 600_000

/** Tasks are asked for often at first, since small ones end soon, and then ever more rarely. */
const firstPauseMs = 10
const longestPauseMs = 100

/** Someone who waits for a task. */
interface Waiting {
  deadline: number
  resolve: (ended: Task | null) => void
  reject: (error: unknown) => void
}

/** Follows tasks to their end, however many at a time, with one question for all of them. */
export class TaskFollower {
  readonly #client: Meilisearch
  readonly #retries: Retries
  readonly #waiting = new Map<number, Waiting>()
  #asking = false

  constructor(client: Meilisearch, retries: Retries) {
    this.#client = client
    this.#retries = retries
  }

  /**
   * @returns how the task ended; null when the server has forgotten it, as it does with old ones: it may have succeeded
   * @throws AppError `search_unavailable` (503) when it does not end in time
   */
  ended({ taskUid }: Pick<EnqueuedTask, 'taskUid'>): Promise<Task | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(taskUid, { deadline: performance.now() + taskTimeoutMs, resolve, reject })
      if (!this.#asking) {
        this.#asking = true
        void this.#askUntilAllEnded()
      }
    })
  }

  async #askUntilAllEnded(): Promise<void> {
    for (let pauseMs = firstPauseMs; this.#waiting.size > 0; pauseMs = Math.min(longestPauseMs, pauseMs * 1.3)) {
      await sleep(pauseMs)
      try {
        await this.#ask()
      } catch (error) {
        for (const { reject } of this.#waiting.values()) {
          reject(error)
        }
        this.#waiting.clear()
      }
    }
    this.#asking = false
  }

  async #ask(): Promise<void> {
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

/** How a task ended that did not succeed, in words for the log. */
export const howItEnded = ({ uid, type, status, error }: Task): Error =>
  new Error(
    `Meilisearch's task ${uid} (${type}) ended as ${status}${error === null ? '' : `: ${error.code}: ${error.message}`}`,
  )
