import { randomUUID } from 'node:crypto'
import { type EnqueuedTask, type Index, type Meilisearch, MeilisearchApiError, type Task } from 'meilisearch'
import type { ApplyOutcome } from '../../ports/search-index.js'
import { noAnswer, refusalCode } from './meili-client.js'
import { type Batch, bodyOf, keyOf, type MeiliDocument, primaryKey } from './meili-documents.js'
import { markOf } from './meili-late-writes.js'
import { isRefusal, type Retries } from './meili-retries.js'
import { howItEnded, type TaskFollower } from './meili-tasks.js'

/** How often a batch is sent whose task was canceled, forgotten, or failed through no fault of its documents. */
const mostSends = 5

/** How many of the newest tasks are searched for one that may be ours. */
const recentTasks = 1_000

/** Where documents are written. */
export interface WritePlace {
  indexUid: string
  /** See `WriteMark`. */
  epoch: number | null
  /** Asked before each request; throws when it must not be made any more. */
  check(): Promise<void>
}

/** How one sending of a batch came out; `refused`: because of what it holds. */
type Sent = { outcome: 'indexed' } | { outcome: 'again'; reason: Error } | { outcome: 'refused'; reason: Error }

/**
 * Writes documents into indexes and sees each write to its end: what fails for a reason that passes is sent again, and
 * of a batch that is refused the documents are found that are to blame.
 */
export class DocumentWrites {
  readonly #client: Meilisearch
  readonly #retries: Retries
  readonly #tasks: TaskFollower
  /** Marks our tasks, so that one whose beginning we did not hear of is known again. */
  readonly #run = randomUUID()
  #sequence = 0
  readonly #underWay = new Set<Promise<unknown>>()
  /** Ends when whoever writes alone is done. */
  #alone: Promise<unknown> = Promise.resolve()

  constructor(client: Meilisearch, retries: Retries, tasks: TaskFollower) {
    this.#client = client
    this.#retries = retries
    this.#tasks = tasks
  }

  /** Replaces documents; resolves when all but the rejected ones can be found. */
  async publish(place: WritePlace, batch: Batch): Promise<ApplyOutcome['rejected']> {
    const sent = await this.#sendBeside(place, batch)
    if (sent.outcome === 'indexed') {
      return []
    }
    // The engine merges tasks, and a document that it cannot take fails all that are merged with it: whoever is to blame
    // is found only while nothing else is under way.
    return this.#writeAlone(() => this.#publishAlone(place, batch))
  }

  /** Deletes documents; ids that are not there are passed over. */
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
      if (sends === mostSends) {
        throw noAnswer(ended === null ? new Error(`Meilisearch forgot its task ${task.taskUid}`) : howItEnded(ended))
      }
    }
  }

  async #publishAlone(place: WritePlace, batch: Batch): Promise<ApplyOutcome['rejected']> {
    for (let sends = 1; ; sends += 1) {
      const sent = await this.#send(place, batch)
      if (sent.outcome === 'indexed') {
        return []
      }
      const [first] = batch
      if (sent.outcome === 'refused' && batch.length === 1 && first !== undefined) {
        // Not what it is now, so it must not be found as what it was.
        await this.remove(place, [first.id])
        return [{ id: first.id, reason: `Meilisearch refused it: ${sent.reason.message}` }]
      }
      if (sent.outcome === 'refused') {
        const half = Math.ceil(batch.length / 2)
        const rejected = await this.#publishAlone(place, batch.slice(0, half))
        return [...rejected, ...(await this.#publishAlone(place, batch.slice(half)))]
      }
      if (sends === mostSends) {
        throw noAnswer(sent.reason)
      }
    }
  }

  async #send(place: WritePlace, batch: Batch): Promise<Sent> {
    const index = this.#client.index<MeiliDocument>(place.indexUid)
    const body = bodyOf(batch)
    let task: EnqueuedTask
    try {
      task = await this.#post(place, (customMetadata) =>
        index.addDocumentsFromString(body, 'application/json', { primaryKey, customMetadata }),
      )
    } catch (error) {
      if (isRefusal(error) && error instanceof MeilisearchApiError && blamesDocuments(error)) {
        return { outcome: 'refused', reason: error }
      }
      throw error
    }
    const ended = await this.#tasks.ended(task)
    return ended === null ? this.#readBack(index, batch) : outcomeOf(ended, batch.length)
  }

  /** Posts once: an earlier try that arrived without our hearing of it counts. */
  async #post(
    { indexUid, epoch, check }: WritePlace,
    request: (customMetadata: string) => Promise<EnqueuedTask>,
  ): Promise<EnqueuedTask> {
    this.#sequence += 1
    const mark = markOf({ epoch, sequence: this.#sequence, run: this.#run })
    return this.#retries.persist(
      async () => {
        await check()
        return request(mark)
      },
      async () => {
        const { results } = await this.#client.tasks.getTasks({ indexUids: [indexUid], limit: recentTasks })
        const task = results.find(({ customMetadata }) => customMetadata === mark)
        return task === undefined ? null : { ...task, taskUid: task.uid }
      },
    )
  }

  /** What a batch came to whose task is forgotten is to be seen in the index only. */
  async #readBack(index: Index<MeiliDocument>, batch: Batch): Promise<Sent> {
    const { results } = await this.#retries.persist(() =>
      index.getDocuments({
        ids: batch.map(({ id }) => keyOf(id)),
        fields: ['id', 'contentHash'],
        limit: batch.length,
      }),
    )
    const held = new Map(results.map(({ id, contentHash }) => [id, contentHash]))
    return batch.every(({ id, contentHash }) => held.get(id) === contentHash)
      ? { outcome: 'indexed' }
      : { outcome: 'again', reason: new Error('Meilisearch forgot a task, and does not hold its documents') }
  }

  async #sendBeside(place: WritePlace, batch: Batch): Promise<Sent> {
    for (let alone = null as Promise<unknown> | null; alone !== this.#alone; ) {
      alone = this.#alone
      await alone
    }
    const sending = this.#send(place, batch)
    this.#underWay.add(sending)
    try {
      return await sending
    } finally {
      this.#underWay.delete(sending)
    }
  }

  async #writeAlone<T>(write: () => Promise<T>): Promise<T> {
    const before = this.#alone
    const writing = (async () => {
      await before
      await Promise.allSettled(this.#underWay)
      return write()
    })()
    this.#alone = writing.catch(() => undefined)
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
    // Cut short on its way, as lines may be.
    const counts = `received ${details?.receivedDocuments} and indexed ${details?.indexedDocuments}`
    return { outcome: 'again', reason: new Error(`Of ${sent} documents Meilisearch's task ${ended.uid} ${counts}`) }
  }
  const refused = status === 'failed' && error?.type === 'invalid_request' && error.code !== 'index_not_found'
  return { outcome: refused ? 'refused' : 'again', reason: howItEnded(ended) }
}
