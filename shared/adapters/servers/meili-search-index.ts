import type { EnqueuedTask } from 'meilisearch'
import { operatorError } from '../../errors.js'
import type {
  ApplyOutcome,
  Fence,
  IndexTarget,
  SearchDocument,
  SearchIndex,
  SearchPage,
  SearchQuery,
} from '../../ports/search-index.js'
import type { Skill } from '../../records/skill.js'
import { parseSearchText } from '../../text/parse-search-text.js'
import { answered, beingPrepared, type MeiliClients, meiliClients, noAnswer, refusalCode } from './meili-client.js'
import { DocumentWrites, type WritePlace } from './meili-document-writes.js'
import { batchesOf, type MeiliDocument, primaryKey } from './meili-documents.js'
import { lateWrites } from './meili-late-writes.js'
import { partialPage } from './meili-partial-search.js'
import { filterConditions, idAfter } from './meili-query.js'
import { Retries, type RetryTiming } from './meili-retries.js'
import { columnOrder, type MeiliSearch, rankedPage, sortedPage } from './meili-search.js'
import { fingerprintIn, indexSettings } from './meili-settings.js'
import { suggest } from './meili-suggestions.js'
import { howItEnded, TaskFollower } from './meili-tasks.js'

/** Less than the query service waits for a search (5 s). */
const defaultSearchMs = 4_500

export interface MeiliSearchIndexOptions {
  /** Of the server. */
  url: string
  /** API key; null where the server asks for none. */
  key: string | null
  /** Stands before the names of the indexes. Default: nothing. */
  prefix?: string
  retries?: RetryTiming
  /** How long a search may take, with all requests that it makes, in milliseconds. Default 4,500. */
  searchMs?: number
}

/**
 * Full-text search in a Meilisearch.
 *
 * The live index is `<prefix>skills`, the one that is built beside it `<prefix>skills_next`. Only one process may write
 * at a time; any number may search.
 */
export class MeiliSearchIndex implements SearchIndex {
  readonly #clients: MeiliClients
  readonly #uids: Record<IndexTarget, string>
  readonly #retries: Retries
  readonly #searchMs: number
  readonly #tasks: TaskFollower
  readonly #writes: DocumentWrites

  /** One large task costs less than many small ones, and what is posted while one is under way is merged into the next. */
  readonly documentsPerApply = 5_000
  readonly appliesAtOnce = 6

  constructor({ url, key, prefix = '', retries, searchMs = defaultSearchMs }: MeiliSearchIndexOptions) {
    this.#clients = meiliClients({ url, key })
    const { writer } = this.#clients
    this.#uids = { live: `${prefix}skills`, next: `${prefix}skills_next` }
    this.#searchMs = searchMs
    this.#retries = new Retries(writer, Object.values(this.#uids), retries)
    this.#tasks = new TaskFollower(writer, this.#retries)
    this.#writes = new DocumentWrites(writer, this.#retries, this.#tasks)
  }

  /**
   * Makes an empty live index where there is none. For whoever writes, once, before anything else.
   *
   * @throws AppError with an operator's message when the name is taken by another index, or the key is refused
   */
  async prepare(): Promise<void> {
    await answered(async () => {
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
    const text = parseSearchText(query.text)
    if (text.terms.length + text.excluded.length === 0) {
      return { hits: [], total: 0, facets: Object.fromEntries(query.facets.map((facet) => [facet, []])) }
    }
    const search: MeiliSearch = {
      client: this.#clients.reader,
      indexUid: this.#uids.live,
      query,
      text,
      conditions: filterConditions(query.filters),
      signal: AbortSignal.timeout(this.#searchMs),
    }
    return answered(async () => {
      const sort = columnOrder(search)
      const page = sort === null ? await rankedPage(search) : await sortedPage(search, sort)
      return page.total === 0 && text.terms.length > 1 ? partialPage(search) : page
    })
  }

  async suggest(text: string, limit: number): Promise<Skill[]> {
    return answered(() => suggest(this.#clients.reader, this.#uids.live, text, limit))
  }

  async apply(
    { publish, remove }: { publish: SearchDocument[]; remove: string[] },
    target: IndexTarget = 'live',
    fence?: Fence,
  ): Promise<ApplyOutcome> {
    return answered(async () => {
      // The engine would make an index that is not there by itself, without our settings.
      await this.#require(target, fence)
      const place: WritePlace = {
        indexUid: this.#uids[target],
        // The next index is verified as a whole before it is live.
        epoch: target === 'live' ? (fence?.epoch ?? null) : null,
        check: async () => fence?.check(),
      }
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

  async lateWrites(position: string | null): Promise<{ count: number; position: string | null }> {
    return answered(() => lateWrites(this.#clients.writer, this.#retries, this.#uids.live, position))
  }

  async list(
    afterId: string | null,
    limit: number,
    target: IndexTarget = 'live',
  ): Promise<{ id: string; contentHash: string }[]> {
    return answered(async () => {
      await this.#require(target)
      const index = this.#clients.writer.index<MeiliDocument>(this.#uids[target])
      const { results } = await this.#retries.persist(() =>
        index.getDocuments({ filter: idAfter(afterId), sort: ['id:asc'], fields: ['id', 'contentHash'], limit }),
      )
      return results.map(({ id, contentHash }) => ({ id, contentHash }))
    })
  }

  async createNext(fence?: Fence): Promise<void> {
    await answered(async () => {
      await this.#drop('next', fence)
      await this.#create('next', fence)
    })
  }

  async swap(fence?: Fence): Promise<void> {
    await answered(async () => {
      await this.#require('next', fence)
      const swap = {
        indexes: [this.#uids.next, this.#uids.live] as [string, string],
        // Where there is nothing to swap with, the name is all that changes.
        rename: (await this.#infoOf('live')) === null,
      }
      const { writer } = this.#clients
      const [newest] = (await this.#retries.persist(() => writer.tasks.getTasks({ limit: 1 }))).results
      await this.#do(
        () => writer.swapIndexes([swap]),
        { fence },
        // Done twice, it is undone.
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
    return answered(async () => {
      if ((await this.#infoOf('live')) === null) {
        return { documents: 0, settings: null }
      }
      const index = this.#clients.reader.index(this.#uids.live)
      const [{ numberOfDocuments }, stopWords] = await Promise.all([index.getStats(), index.getStopWords()])
      return { documents: numberOfDocuments, settings: fingerprintIn(stopWords ?? []) }
    })
  }

  /** Nothing is held open: connections that are not used end by themselves. */
  async close(): Promise<void> {}

  /**
   * Has a task done and follows it to its end.
   *
   * @param options.allowed codes of failures that mean that there was nothing to do
   * @param options.fence asked before each try
   */
  async #do(
    request: () => Promise<EnqueuedTask>,
    { allowed = [], fence }: { allowed?: string[]; fence?: Fence | undefined } = {},
    found?: () => Promise<EnqueuedTask | null>,
  ): Promise<void> {
    const checked = async () => {
      await fence?.check()
      return request()
    }
    const ended = await this.#tasks.ended(await this.#retries.persist(checked, found))
    // A task that is forgotten has ended; what it should have made is asked for by whatever comes next.
    if (ended !== null && ended.status !== 'succeeded' && !allowed.includes(ended.error?.code ?? '')) {
      throw noAnswer(howItEnded(ended))
    }
  }

  async #create(target: IndexTarget, fence?: Fence): Promise<void> {
    const { writer } = this.#clients
    const uid = this.#uids[target]
    await this.#do(() => writer.createIndex(uid, { primaryKey }), { allowed: ['index_already_exists'], fence })
    // Before any document: whatever is indexed under other settings is indexed twice.
    await this.#do(() => writer.index(uid).updateSettings(indexSettings), { fence })
  }

  async #drop(target: IndexTarget, fence?: Fence): Promise<void> {
    await this.#do(() => this.#clients.writer.deleteIndex(this.#uids[target]), { allowed: ['index_not_found'], fence })
  }

  /** Null when there is no such index. */
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
   * @throws AppError `search_unavailable` (503) when there is no such index. A next one that is older than the live one
   * counts as none: it was live until a swap that was cut short before it dropped it. `lock_lost` where the fence is
   * another's, who may have swapped or dropped it.
   */
  async #require(target: IndexTarget, fence?: Fence): Promise<void> {
    const infoOf = (each: IndexTarget) => this.#retries.persist(() => this.#infoOf(each))
    const info = await infoOf(target)
    const live = target === 'next' ? await infoOf('live') : null
    if (info === null || (live !== null && info.createdAt < live.createdAt)) {
      await fence?.check()
      throw beingPrepared()
    }
  }
}
