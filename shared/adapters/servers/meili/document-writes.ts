import { randomUUID } from 'node:crypto'
import { type EnqueuedTask, type Meilisearch, MeilisearchApiError, type Task } from 'meilisearch'
import type { Lock } from '../../../ports/locks.js'
import type { ApplyOutcome } from '../../../ports/search-index.js'
import { noAnswer, refusalCode } from './client.js'
import { type Batch, bodyOf, keyOf, type MeiliDocument, primaryKey } from './documents.js'
import { isRefusal, type MeiliTasks, taskError } from './tasks.js'

/** Attempts for a batch whose task was canceled or lost, or failed for another reason than its documents. */
const maxSends = 5

/** The newest tasks that are searched for one without a response. */
const recentTasks = 1_000

/** Where documents are written, and the lock that is checked before each request. */
interface WritePlace {
  indexUid: string
  lock: Lock
}

/** The outcome of one attempt; `refused`: because of the documents. */
type Sent = { outcome: 'indexed' } | { outcome: 'again'; reason: Error } | { outcome: 'refused'; reason: Error }

/**
 * Writes documents into indexes, and waits until they are indexed. Batches are sent again after temporary errors; of a
 * refused batch the invalid documents are found.
 */
export class DocumentWrites {
  readonly #client: Meilisearch
  readonly #tasks: MeiliTasks
  /** Marks the tasks of this process, so that one whose response did not arrive can be found. */
  readonly #run = randomUUID()
  #sequence = 0
  readonly #concurrent = new Set<Promise<unknown>>()
  #exclusive: Promise<unknown> = Promise.resolve()

  constructor(client: Meilisearch, tasks: MeiliTasks) {
    this.#client = client
    this.#tasks = tasks
  }

  /** Replaces documents; resolves when all but the rejected ones are indexed. */
  async publish(place: WritePlace, batch: Batch): Promise<ApplyOutcome['rejected']> {
    const sent = await this.#sendConcurrently(place, batch)
    if (sent.outcome === 'indexed') {
      return []
    }
    // Meilisearch merges tasks, and an invalid document fails all merged tasks: it can be found only while no other write
    // is running.
    return this.#writeExclusively(() => this.#publishExclusively(place, batch))
  }

  /** Deletes documents; unknown ids are ignored. */
  async remove(place: WritePlace, ids: string[]): Promise<void> {
    const index = this.#client.index(place.indexUid)
    for (let sends = 1; ; sends += 1) {
      const task = await this.#post(place, (customMetadata) =>
        index.deleteDocuments(ids.map(keyOf), { customMetadata }),
      )
      const ended = await this.#tasks.ended(task)
      if (ended?.status === 'succeeded') {
        return
      }
      if (sends === maxSends) {
        throw noAnswer(ended === null ? new Error(`Meilisearch has lost its task ${task.taskUid}`) : taskError(ended))
      }
    }
  }

  async #publishExclusively(place: WritePlace, batch: Batch): Promise<ApplyOutcome['rejected']> {
    for (let sends = 1; ; sends += 1) {
      const sent = await this.#send(place, batch)
      if (sent.outcome === 'indexed') {
        return []
      }
      const [first] = batch
      if (sent.outcome === 'refused' && batch.length === 1 && first !== undefined) {
        // The previous version must not be found either.
        await this.remove(place, [first.id])
        return [{ id: first.id, reason: `Meilisearch refused it: ${sent.reason.message}` }]
      }
      if (sent.outcome === 'refused') {
        const half = Math.ceil(batch.length / 2)
        const rejected = await this.#publishExclusively(place, batch.slice(0, half))
        return [...rejected, ...(await this.#publishExclusively(place, batch.slice(half)))]
      }
      if (sends === maxSends) {
        throw noAnswer(sent.reason)
      }
    }
  }

  async #send(place: WritePlace, batch: Batch): Promise<Sent> {
    let task: EnqueuedTask
    try {
      task = await this.#postDocuments(place, batch)
    } catch (error) {
      if (isRefusal(error) && error instanceof MeilisearchApiError && blamesDocuments(error)) {
        return { outcome: 'refused', reason: error }
      }
      throw error
    }
    const ended = await this.#tasks.ended(task)
    return ended === null ? this.#readBack(place, batch) : outcomeOf(ended, batch.length)
  }

  /** Apart from the wait for the task, so that meanwhile the body's memory is free. */
  #postDocuments(place: WritePlace, batch: Batch): Promise<EnqueuedTask> {
    const index = this.#client.index<MeiliDocument>(place.indexUid)
    const body = bodyOf(batch)
    return this.#post(place, (customMetadata) =>
      index.addDocumentsFromString(body, 'application/json', { primaryKey, customMetadata }),
    )
  }

  /** Enqueues one task, also when the response of an attempt does not arrive. */
  async #post(
    { indexUid, lock }: WritePlace,
    request: (customMetadata: string) => Promise<EnqueuedTask>,
  ): Promise<EnqueuedTask> {
    this.#sequence += 1
    const mark = `${this.#run}:${this.#sequence}`
    return this.#tasks.persist(
      async () => {
        lock.check()
        return request(mark)
      },
      async () => {
        const { results } = await this.#client.tasks.getTasks({ indexUids: [indexUid], limit: recentTasks })
        const task = results.find(({ customMetadata }) => customMetadata === mark)
        return task === undefined ? null : { ...task, taskUid: task.uid }
      },
    )
  }

  /** The outcome of a batch whose task was lost, from the documents in the index. */
  async #readBack({ indexUid }: WritePlace, batch: Batch): Promise<Sent> {
    const { results } = await this.#tasks.persist(() =>
      this.#client.index<MeiliDocument>(indexUid).getDocuments({
        ids: batch.map(({ id }) => keyOf(id)),
        fields: ['id', 'contentHash', 'bodyHash'],
        limit: batch.length,
      }),
    )
    const indexed = new Map(results.map((document) => [document.id, document]))
    const isIndexed = ({ id, contentHash, bodyHash }: Batch[number]) =>
      indexed.get(id)?.contentHash === contentHash && indexed.get(id)?.bodyHash === bodyHash
    return batch.every(isIndexed)
      ? { outcome: 'indexed' }
      : { outcome: 'again', reason: new Error('Meilisearch has lost a task, and has not indexed its documents') }
  }

  async #sendConcurrently(place: WritePlace, batch: Batch): Promise<Sent> {
    for (let exclusive = null as Promise<unknown> | null; exclusive !== this.#exclusive; ) {
      exclusive = this.#exclusive
      await exclusive
    }
    const sending = this.#send(place, batch)
    this.#concurrent.add(sending)
    try {
      return await sending
    } finally {
      this.#concurrent.delete(sending)
    }
  }

  async #writeExclusively<T>(write: () => Promise<T>): Promise<T> {
    const previous = this.#exclusive
    const writing = (async () => {
      await previous
      await Promise.allSettled(this.#concurrent)
      return write()
    })()
    this.#exclusive = writing.catch(() => undefined)
    return writing
  }
}

/** Whether a request was refused for its documents, not for the key or the index that it names. */
const blamesDocuments = (error: MeilisearchApiError): boolean =>
  ![401, 403, 404, 405].includes(error.response.status) && refusalCode(error) !== 'index_not_found'

function outcomeOf(ended: Task, sent: number): Sent {
  const { status, details, error } = ended
  if (status === 'succeeded') {
    if (details?.receivedDocuments === sent && details.indexedDocuments === sent) {
      return { outcome: 'indexed' }
    }
    // The request was truncated on its way.
    const counts = `received ${details?.receivedDocuments} and indexed ${details?.indexedDocuments}`
    return { outcome: 'again', reason: new Error(`Of ${sent} documents Meilisearch's task ${ended.uid} ${counts}`) }
  }
  const refused = status === 'failed' && error?.type === 'invalid_request' && error.code !== 'index_not_found'
  return { outcome: refused ? 'refused' : 'again', reason: taskError(ended) }
}
