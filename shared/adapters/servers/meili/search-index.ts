import type { Settings } from 'meilisearch'
import type { Embedder, Vector } from '../../../ports/embedder.js'
import type { Lock } from '../../../ports/locks.js'
import type {
  ApplyOutcome,
  IndexReplica,
  IndexTarget,
  RelatedSkill,
  SearchDocument,
  SearchPage,
  SearchQuery,
  SkillWithText,
} from '../../../ports/search-index.js'
import { readSynonyms, type Synonyms } from '../../../ranking/other-words.js'
import type { Skill } from '../../../records/skill.js'
import { AppError, operatorError } from '../../../runtime/errors.js'
import type { Logger } from '../../../runtime/log.js'
import { AnswerCache, MissingFeatures, WordCounts } from './caches.js'
import { type MeiliClients, meiliClients, Outage } from './client.js'
import { DocumentWrites, type WritePlace } from './document-writes.js'
import { batchesOf, primaryKey } from './documents.js'
import { MeiliIndexes, nullIfMissing } from './indexes.js'
import { idAfter } from './query.js'
import { relatedSkills, type SearchTarget, searchSkills, suggest } from './search.js'
import { embedderName, IndexSettings } from './settings.js'
import { MeiliTasks, type RetryTiming } from './tasks.js'

/** Less than the query service's timeout of a search (5 s). */
const defaultSearchTimeoutMs = 4_500

export interface MeiliSearchIndexOptions {
  /** The address of the server. */
  url: string
  /** API key; null when the server requires none. */
  key: string | null
  /** The beginning of the names of the indexes. Default: empty. */
  prefix?: string
  retries?: RetryTiming
  /** Milliseconds for all requests of a search together, and for each one that reads. Default 4,500. */
  searchTimeoutMs?: number
  /** Default: those that are shipped. */
  synonyms?: Synonyms
  /** The embedder of documents and queries; null: skills are found by their words only. */
  embedder: Pick<Embedder, 'model' | 'dimensions'> | null
  /** Absent: it is the only server. */
  replica?: ReplicaOptions
}

/** One of several servers. */
export interface ReplicaOptions {
  address: string
  /** All servers: vectors that one of them has are known. */
  all: () => readonly MeiliSearchIndex[]
  log: Logger
}

/**
 * Full-text search in Meilisearch.
 *
 * The live index is `<prefix>skills`; `<prefix>skills_next` is built next to it. One process may write at a time; any
 * number may search.
 */
export class MeiliSearchIndex implements IndexReplica {
  readonly #clients: MeiliClients
  readonly #uids: Record<IndexTarget, string>
  readonly #tasks: MeiliTasks
  readonly #answers: AnswerCache
  readonly #target: SearchTarget
  readonly #missing = new MissingFeatures()
  readonly #indexes: MeiliIndexes
  readonly #settings: IndexSettings
  readonly #embedder: string | null
  readonly #writes: DocumentWrites

  readonly #replica: ReplicaOptions | null
  readonly #outage: Outage

  readonly address?: string
  readonly settings: string
  /** One request, with vectors too, so that the next ones are made meanwhile. */
  readonly documentsPerApply = 2_000
  /** Meilisearch merges tasks that wait, and takes the longer for each merged batch the larger the index is. */
  readonly appliesAtOnce = 40

  constructor({
    url,
    key,
    prefix = '',
    retries,
    searchTimeoutMs = defaultSearchTimeoutMs,
    synonyms = readSynonyms(),
    embedder,
    replica,
  }: MeiliSearchIndexOptions) {
    this.#replica = replica ?? null
    this.#outage = new Outage(replica ?? null)
    if (replica !== undefined) {
      this.address = replica.address
    }
    this.#settings = new IndexSettings(synonyms, embedder)
    this.settings = this.#settings.fingerprint
    this.#embedder = embedder === null ? null : embedderName(embedder.model)
    this.#clients = meiliClients({ url, key, readTimeoutMs: searchTimeoutMs })
    const { writer } = this.#clients
    this.#uids = { live: `${prefix}skills`, next: `${prefix}skills_next` }
    this.#target = {
      client: this.#clients.reader,
      indexUid: this.#uids.live,
      synonyms,
      counts: new WordCounts(),
      embedder: this.#embedder,
      timeoutMs: searchTimeoutMs,
    }
    // Every batch of writes and every swap changes the time.
    this.#answers = new AnswerCache(async () => (await this.#clients.reader.getRawIndex(this.#uids.live)).updatedAt)
    this.#tasks = new MeiliTasks(writer, Object.values(this.#uids), retries)
    this.#indexes = new MeiliIndexes(writer, this.#uids, this.#tasks)
    this.#writes = new DocumentWrites(writer, this.#tasks)
  }

  /**
   * Creates an empty live index if there is none; without vectors, until the next sync, where the embedder does not
   * answer. A writer calls it once, before all other methods.
   *
   * @throws AppError with an operator's message when another application's index has the name, or the key is refused
   */
  async prepare(): Promise<void> {
    await this.#outage.watch(async () => {
      if (!(await this.#hasLive())) {
        await this.#indexes.create('live', await this.#availableSettings())
      }
    })
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    const known = this.#missing.known(query)
    const search = (each: SearchQuery) => searchSkills(this.#target, each)
    return this.#outage.watch(() => this.#answers.answer(known, () => this.#missing.search(known, search)))
  }

  async suggest(text: string, limit: number): Promise<Skill[]> {
    return this.#outage.watch(() => suggest(this.#target, text, limit))
  }

  async related(id: string, limit: number): Promise<RelatedSkill[]> {
    return this.#outage.watch(() => relatedSkills(this.#target, id, limit))
  }

  async apply(
    { publish, remove }: { publish: SearchDocument[]; remove: string[] },
    target: IndexTarget,
    lock: Lock,
  ): Promise<ApplyOutcome> {
    return this.#outage.watch(async () => {
      // Meilisearch would create a missing index itself, without our settings.
      await this.#indexes.require(target, lock)
      const place: WritePlace = { indexUid: this.#uids[target], check: () => lock.check() }
      if (remove.length > 0) {
        await this.#writes.remove(place, remove)
      }
      const rejected: ApplyOutcome['rejected'] = []
      const vectors = {
        embedders: publish.length === 0 ? [] : await this.#indexes.embeddersOf(target),
        own: this.#embedder,
      }
      for await (const batch of batchesOf(publish, vectors)) {
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
    return this.#outage.watch(async () => {
      await this.#indexes.require(target)
      const index = this.#indexes.of(target)
      const { results } = await this.#tasks.persist(() =>
        index.getDocuments({ filter: idAfter(afterId), sort: ['id:asc'], fields: ['id', 'contentHash'], limit }),
      )
      return results.map(({ id, contentHash }) => ({ id, contentHash }))
    })
  }

  async knownVectors(skills: SkillWithText[]): Promise<Map<string, Vector>> {
    const embedder = this.#embedder
    if (embedder === null) {
      return new Map()
    }
    return this.#outage.watch(async () => {
      const known = await this.#indexes.knownVectors(skills, embedder)
      for (const other of this.#replica?.all() ?? []) {
        const missing = skills.filter(({ skill }) => !known.has(skill.id))
        if (other !== this && missing.length > 0 && !other.isFailing) {
          // What another server does not return is embedded again.
          for (const [id, vector] of await other.#indexes.knownVectors(missing, embedder).catch(() => [])) {
            known.set(id, vector)
          }
        }
      }
      return known
    })
  }

  async createNext(lock: Lock): Promise<void> {
    await this.#outage.watch(async () => {
      // One of several servers may not have answered when the others were prepared.
      await this.#hasLive()
      const settings = await this.#settings.complete()
      await this.#indexes.drop('next', lock)
      await this.#indexes.create('next', settings, lock)
    })
  }

  async swap(lock: Lock): Promise<void> {
    await this.#outage.watch(async () => {
      await this.#indexes.require('next', lock)
      await this.#indexes.swap(lock)
      await this.#indexes.drop('next', lock)
    })
  }

  async status(): Promise<{ documents: number; settings: string | null }> {
    return this.#outage.watch(async () => {
      const index = this.#clients.reader.index(this.#uids.live)
      try {
        const [{ numberOfDocuments }, stopWords] = await Promise.all([index.getStats(), index.getStopWords()])
        return { documents: numberOfDocuments, settings: this.#settings.fingerprintIn(stopWords ?? []) }
      } catch (error) {
        return nullIfMissing(error) ?? { documents: 0, settings: null }
      }
    })
  }

  get isFailing(): boolean {
    return this.#replica !== null && this.#outage.isRecent
  }

  /** Nothing to close: idle connections are closed after a timeout. */
  async close(): Promise<void> {}

  /** Whether there is a live index. @throws AppError when it is another application's */
  async #hasLive(): Promise<boolean> {
    const info = await this.#indexes.createdInfoOf('live')
    if (info !== null && info.primaryKey !== primaryKey) {
      throw operatorError(
        'search_index_taken',
        `Meilisearch has an index ${this.#uids.live} that is not this catalog's. Give the catalog a Meilisearch of ` +
          'its own, or remove that index.',
      )
    }
    return info !== null
  }

  /** The settings for an index that must exist, without vectors where the embedder does not answer. */
  async #availableSettings(): Promise<Settings> {
    try {
      return await this.#settings.complete()
    } catch (error) {
      if (error instanceof AppError) {
        return this.#settings.withoutVectors()
      }
      throw error
    }
  }
}
