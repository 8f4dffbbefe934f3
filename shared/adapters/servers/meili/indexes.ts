import type { EnqueuedTask, Index, Meilisearch, Settings } from 'meilisearch'
import type { Fence } from '../../../ports/locks.js'
import type { IndexTarget } from '../../../ports/search-index.js'
import { beingPrepared, noAnswer, refusalCode } from './client.js'
import { type MeiliDocument, primaryKey } from './documents.js'
import type { Retries } from './retries.js'
import { type TaskFollower, taskError } from './tasks.js'

/** The two indexes of a catalog in Meilisearch: creates, swaps and drops them. */
export class MeiliIndexes {
  readonly #client: Meilisearch
  readonly #uids: Record<IndexTarget, string>
  readonly #retries: Retries
  readonly #tasks: TaskFollower

  constructor(client: Meilisearch, uids: Record<IndexTarget, string>, retries: Retries, tasks: TaskFollower) {
    this.#client = client
    this.#uids = uids
    this.#retries = retries
    this.#tasks = tasks
  }

  of(target: IndexTarget): Index<MeiliDocument> {
    return this.#client.index<MeiliDocument>(this.#uids[target])
  }

  async create(target: IndexTarget, settings: Settings, fence?: Fence): Promise<void> {
    const uid = this.#uids[target]
    await this.#do(() => this.#client.createIndex(uid, { primaryKey }), { allowed: ['index_already_exists'], fence })
    // Before any document: changed settings would index all documents again.
    await this.#do(() => this.of(target).updateSettings(settings), { fence })
  }

  async drop(target: IndexTarget, fence?: Fence): Promise<void> {
    await this.#do(() => this.#client.deleteIndex(this.#uids[target]), { allowed: ['index_not_found'], fence })
  }

  /** Makes the next index the live one, in one step; the next one is then the former live index, if there was one. */
  async swap(fence: Fence): Promise<void> {
    const swap = {
      indexes: [this.#uids.next, this.#uids.live] as [string, string],
      // Without a live index, rename the next one.
      rename: (await this.infoOf('live')) === null,
    }
    const { tasks } = this.#client
    const [newest] = (await this.#retries.persist(() => tasks.getTasks({ limit: 1 }))).results
    await this.#do(
      () => this.#client.swapIndexes([swap]),
      { fence },
      // A second swap would undo the first.
      async () => {
        const { results } = await tasks.getTasks({ types: ['indexSwap'] })
        const task = results.find(
          ({ uid, details }) =>
            uid > (newest?.uid ?? -1) && details?.swaps?.some(({ indexes }) => indexes.includes(this.#uids.next)),
        )
        return task === undefined ? null : { ...task, taskUid: task.uid }
      },
    )
  }

  /** Null when the index does not exist. */
  async infoOf(target: IndexTarget) {
    try {
      return await this.#client.getRawIndex(this.#uids[target])
    } catch (error) {
      return nullIfMissing(error)
    }
  }

  /** The embedders whose vectors an index has; none when it does not exist. */
  async embeddersOf(target: IndexTarget): Promise<string[]> {
    try {
      return Object.keys((await this.#retries.persist(() => this.of(target).getEmbedders())) ?? {})
    } catch (error) {
      return nullIfMissing(error) ?? []
    }
  }

  /**
   * @throws AppError `search_unavailable` (503) when the index does not exist, or when the next index is older than the
   * live one: it is the former live index, which an interrupted swap has not deleted. `lock_lost` when another process
   * has the fence, and may have swapped or deleted the index.
   */
  async require(target: IndexTarget, fence?: Fence): Promise<void> {
    const infoOf = (each: IndexTarget) => this.#retries.persist(() => this.infoOf(each))
    const info = await infoOf(target)
    const live = target === 'next' ? await infoOf('live') : null
    if (info === null || (live !== null && info.createdAt < live.createdAt)) {
      fence?.check()
      throw beingPrepared()
    }
  }

  /**
   * Enqueues a task and waits for its end.
   *
   * @param options.allowed error codes that mean that there was nothing to do
   * @param options.fence checked before each attempt
   * @param found finds the task when an attempt may have enqueued it without a response
   */
  async #do(
    request: () => Promise<EnqueuedTask>,
    { allowed = [], fence }: { allowed?: string[]; fence?: Fence | undefined } = {},
    found?: () => Promise<EnqueuedTask | null>,
  ): Promise<void> {
    const checked = async () => {
      fence?.check()
      return request()
    }
    const ended = await this.#tasks.ended(await this.#retries.persist(checked, found))
    // A task that the server has deleted from its list has ended; later requests fail if it did not succeed.
    if (ended !== null && ended.status !== 'succeeded' && !allowed.includes(ended.error?.code ?? '')) {
      throw noAnswer(taskError(ended))
    }
  }
}

/** Throws any other error than that the index does not exist. */
function nullIfMissing(error: unknown): null {
  if (refusalCode(error) === 'index_not_found') {
    return null
  }
  throw error
}
