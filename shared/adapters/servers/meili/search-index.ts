import type { EnqueuedTask } from 'meilisearch'
import type { Fence } from '../../../ports/locks.js'
import type {
  ApplyOutcome,
  IndexTarget,
  IndexWriter,
  SearchDocument,
  SearchIndex,
  SearchPage,
  SearchQuery,
} from '../../../ports/search-index.js'
import type { Skill } from '../../../records/skill.js'
import { operatorError } from '../../../runtime/errors.js'

import { type Synonyms, synonyms as shippedSynonyms } from '../../../text/synonyms.js'
import { AnswerCache } from './answer-cache.js'
import { beingPrepared, type MeiliClients, meiliClients, noAnswer, refusalCode, translated } from './client.js'
import { DocumentWrites, type WritePlace } from './document-writes.js'
import { batchesOf, type MeiliDocument, primaryKey } from './documents.js'
import type { MeiliTarget } from './multi-search.js'
import { idAfter } from './query.js'
import { Retries, type RetryTiming } from './retries.js'
import { searchSkills } from './search.js'
import { IndexSettings } from './settings.js'
import { suggest } from './suggestions.js'
import { TaskFollower, taskError } from './tasks.js'

/** Less than the query service's timeout of a search (5 s). */
const defaultSearchTimeoutMs = 4_500

export interface MeiliSearchIndexOptions {
  /** Of the server. */
  url: string
  /** API key; null when the server requires none. */
  key: string | null
  /** Of the names of the indexes. Default: empty. */
  prefix?: string
  retries?: RetryTiming
  /** Milliseconds for all requests of a search together. Default 4,500. */
  searchTimeoutMs?: number
  /** Default: those that are shipped. */
  synonyms?: Synonyms
}

/**
 * Full-text search in Meilisearch.
 *
 * The live index is `<prefix>skills`; `<prefix>skills_next` is built next to it. One process may write at a time; any
 * number may search.
 */
export class MeiliSearchIndex implements SearchIndex, IndexWriter {
  readonly #clients: MeiliClients
  readonly #uids: Record<IndexTarget, string>
  readonly #retries: Retries
  readonly #searchTimeoutMs: number
  readonly #answers: AnswerCache
  readonly #tasks: TaskFollower
  readonly #target: MeiliTarget & { synonyms: Synonyms }
  readonly #settings: IndexSettings
  readonly #writes: DocumentWrites

  /** One large task costs less than many small ones, and tasks that wait for a running one are merged. */
  readonly documentsPerApply = 5_000
  readonly appliesAtOnce = 6

  constructor({
    url,
    key,
    prefix = '',
    retries,
    searchTimeoutMs = defaultSearchTimeoutMs,
    synonyms = shippedSynonyms,
  }: MeiliSearchIndexOptions) {
    this.#settings = new IndexSettings(synonyms)

    this.#clients = meiliClients({ url, key })
    const { writer } = this.#clients
    this.#uids = { live: `${prefix}skills`, next: `${prefix}skills_next` }
    this.#target = { client: this.#clients.reader, indexUid: this.#uids.live, synonyms }
    this.#searchTimeoutMs = searchTimeoutMs
    // Every batch of writes and every swap changes the time.
    this.#answers = new AnswerCache(async () => (await this.#clients.reader.getRawIndex(this.#uids.live)).updatedAt)
    this.#retries = new Retries(writer, Object.values(this.#uids), retries)
    this.#tasks = new TaskFollower(writer, this.#retries)
    this.#writes = new DocumentWrites(writer, this.#retries, this.#tasks)
  }

  /**
   * Creates an empty live index if there is none. A writer calls it once, before all other methods.
   *
   * @throws AppError with an operator's message when another application's index has the name, or the key is refused
   */
  async prepare(): Promise<void> {
    await translated(async () => {
      const info = await this.#infoOf('live')
      if (info === null) {
        await this.#create('live')
      } else if (info.primaryKey !== primaryKey) {
        throw operatorError(
          'search_index_taken',
          `Meilisearch has an index ${this.#uids.live} that is not this catalog's. Give the catalog a Meilisearch of ` +
            'its own, or remove that index.',
        )
      }
    })
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    return translated(() => this.#answers.answer(query, () => searchSkills(this.#target, query, this.#searchTimeoutMs)))
  }

  async suggest(text: string, limit: number): Promise<Skill[]> {
    return translated(() => suggest(this.#target, text, limit, this.#searchTimeoutMs))
  }

  async apply(
    { publish, remove }: { publish: SearchDocument[]; remove: string[] },
    target: IndexTarget,
    fence: Fence,
  ): Promise<ApplyOutcome> {
    return translated(async () => {
      // Meilisearch would create a missing index itself, without our settings.
      await this.#require(target, fence)
      const place: WritePlace = { indexUid: this.#uids[target], check: () => fence.check() }
      if (remove.length > 0) {
        await this.#writes.remove(place, remove)
      }
      const rejected: ApplyOutcome['rejected'] = []
      for (const batch of batchesOf(publish)) {
        rejected.push(...(await this.#writes.publish(place, batch)))
      }
      return { rejected }
    })
  }

  async list(
    afterId: string | null,
    limit: number,
    target: IndexTarget,
  ): Promise<{ id: string; contentHash: string }[]> {
    return translated(async () => {
      await this.#require(target)
      const index = this.#clients.writer.index<MeiliDocument>(this.#uids[target])
      const { results } = await this.#retries.persist(() =>
        index.getDocuments({ filter: idAfter(afterId), sort: ['id:asc'], fields: ['id', 'contentHash'], limit }),
      )
      return results.map(({ id, contentHash }) => ({ id, contentHash }))
    })
  }

  async createNext(fence: Fence): Promise<void> {
    await translated(async () => {
      await this.#drop('next', fence)
      await this.#create('next', fence)
    })
  }

  async swap(fence: Fence): Promise<void> {
    await translated(async () => {
      await this.#require('next', fence)
      const swap = {
        indexes: [this.#uids.next, this.#uids.live] as [string, string],
        // Without a live index, rename the next one.
        rename: (await this.#infoOf('live')) === null,
      }
      const { writer } = this.#clients
      const [newest] = (await this.#retries.persist(() => writer.tasks.getTasks({ limit: 1 }))).results
      await this.#do(
        () => writer.swapIndexes([swap]),
        { fence },
        // A second swap would undo the first.
        async () => {
          const { results } = await writer.tasks.getTasks({ types: ['indexSwap'] })
          const task = results.find(
            ({ uid, details }) =>
              uid > (newest?.uid ?? -1) && details?.swaps?.some(({ indexes }) => indexes.includes(this.#uids.next)),
          )
          return task === undefined ? null : { ...task, taskUid: task.uid }
        },
      )
      await this.#drop('next', fence)
    })
  }

  async status(): Promise<{ documents: number; settings: string | null }> {
    return translated(async () => {
      if ((await this.#infoOf('live')) === null) {
        return { documents: 0, settings: null }
      }
      const index = this.#clients.reader.index(this.#uids.live)
      const [{ numberOfDocuments }, stopWords] = await Promise.all([index.getStats(), index.getStopWords()])
      return { documents: numberOfDocuments, settings: this.#settings.fingerprintIn(stopWords ?? []) }
    })
  }

  /** Nothing to close: idle connections are closed after a timeout. */
  async close(): Promise<void> {}

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

  async #create(target: IndexTarget, fence?: Fence): Promise<void> {
    const { writer } = this.#clients
    const uid = this.#uids[target]
    await this.#do(() => writer.createIndex(uid, { primaryKey }), { allowed: ['index_already_exists'], fence })
    // Before any document: changed settings would index all documents again.
    await this.#do(() => writer.index(uid).updateSettings(this.#settings.settings), { fence })
  }

  async #drop(target: IndexTarget, fence?: Fence): Promise<void> {
    await this.#do(() => this.#clients.writer.deleteIndex(this.#uids[target]), { allowed: ['index_not_found'], fence })
  }

  /** Null when the index does not exist. */
  async #infoOf(target: IndexTarget) {
    try {
      return await this.#clients.writer.getRawIndex(this.#uids[target])
    } catch (error) {
      if (refusalCode(error) === 'index_not_found') {
        return null
      }
      throw error
    }
  }

  /**
   * @throws AppError `search_unavailable` (503) when the index does not exist, or when the next index is older than the
   * live one: it is the former live index, which an interrupted swap has not deleted. `lock_lost` when another process
   * has the fence, and may have swapped or deleted the index.
   */
  async #require(target: IndexTarget, fence?: Fence): Promise<void> {
    const infoOf = (each: IndexTarget) => this.#retries.persist(() => this.#infoOf(each))
    const info = await infoOf(target)
    const live = target === 'next' ? await infoOf('live') : null
    if (info === null || (live !== null && info.createdAt < live.createdAt)) {
      fence?.check()
      throw beingPrepared()
    }
  }
}
