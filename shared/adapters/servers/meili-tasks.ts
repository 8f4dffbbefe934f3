import type { EnqueuedTask, Meilisearch, Task } from 'meilisearch'
import { noAnswer } from './meili-client.js'

/** For how long a task is followed. One that takes longer is not lost: whoever repeats the work finds it done. */
const taskTimeoutMs = 600_000
const pollEveryMs = 25

/**
 * Follows a task to its end.
 *
 * @param allowed codes of failures that mean that there was nothing to do
 * @throws AppError `search_unavailable` (503) unless it succeeded: the client returns failed tasks like any other
 */
export async function succeeded(client: Meilisearch, task: EnqueuedTask, allowed: string[] = []): Promise<Task> {
  const ended = await client.tasks.waitForTask(task, { timeout: taskTimeoutMs, interval: pollEveryMs })
  if (ended.status !== 'succeeded' && !allowed.includes(ended.error?.code ?? '')) {
    const reason = ended.error === null ? '' : `: ${ended.error.code}: ${ended.error.message}`
    throw noAnswer(new Error(`Meilisearch's task ${ended.uid} (${ended.type}) ended as ${ended.status}${reason}`))
  }
  return ended
}

/**
 * Follows a task that takes documents in, and counts them.
 *
 * @param sent how many distinct documents were sent
 * @throws AppError `search_unavailable` (503) unless all of them were received and indexed
 */
export async function allIndexed(client: Meilisearch, task: EnqueuedTask, sent: number): Promise<void> {
  const { uid, details } = await succeeded(client, task)
  if (details?.receivedDocuments !== sent || details.indexedDocuments !== sent) {
    throw noAnswer(
      new Error(
        `Of ${sent} documents Meilisearch's task ${uid} received ${details?.receivedDocuments} ` +
          `and indexed ${details?.indexedDocuments}`,
      ),
    )
  }
}
