import type { Settings } from 'meilisearch'
import type { Embedder, Vector } from '../../../ports/embedder.js'
import type { ApplyOutcome, IndexReplica, SearchQuery, SkillWithText } from '../../../ports/search-index.js'
import { readSynonyms, type Synonyms } from '../../../ranking/other-words.js'
import { AppError, operatorError } from '../../../runtime/errors.js'
import type { Logger } from '../../../runtime/log.js'
import { AnswerCache, MissingFeatures, WordCounts } from './caches.js'
import { meiliClients, Outage } from './client.js'
import { DocumentWrites } from './document-writes.js'
import { batchesOf, primaryKey } from './documents.js'
import { MeiliIndexes, nullIfMissing } from './indexes.js'
import { idAfter } from './query.js'
import { relatedSkills, type SearchTarget, searchSkills, suggest } from './search.js'
import { embedderName, IndexSettings } from './settings.js'
import { MeiliTasks, type RetryTiming } from './tasks.js'

/** Less than the query service's timeout of a search (5 s). */
const defaultSearchTimeoutMs = 4_500

export interface MeiliSearchIndexOptions {
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

interface ReplicaOptions {
  address: string
  /** All servers: vectors that one of them has are known. */
  all: () => readonly MeiliSearchIndex[]
  log: Logger
}

/** An index on one server. */
export interface MeiliSearchIndex extends IndexReplica {
  /**
   * Creates an empty live index if there is none; without vectors, until the next sync, where the embedder does not
   * answer. A writer calls it once, before all other methods.
   *
   * @throws AppError with an operator's message when another application's index has the name, or the key is refused
   */
  prepare(): Promise<void>

  /** As `knownVectors`, of this server alone. */
  ownVectors(skills: SkillWithText[]): Promise<Map<string, Vector>>
}

/**
 * Full-text search in Meilisearch.
 *
 * The live index is `<prefix>skills`; `<prefix>skills_next` is built next to it. One process may write at a time; any
 * number may search.
 */
export function meiliSearchIndex({
  url,
  key,
  prefix = '',
  retries,
  searchTimeoutMs = defaultSearchTimeoutMs,
  synonyms = readSynonyms(),
  embedder: model,
  replica,
}: MeiliSearchIndexOptions): MeiliSearchIndex {
  const { reader, writer } = meiliClients(url, key, searchTimeoutMs)
  const uids = { live: `${prefix}skills`, next: `${prefix}skills_next` }
  const embedder = model === null ? null : embedderName(model.model)
  const settings = new IndexSettings(synonyms, model)
  const counts = new WordCounts()
  const place: SearchTarget = {
    client: reader,
    indexUid: uids.live,
    synonyms,
    counts,
    embedder,
    timeoutMs: searchTimeoutMs,
  }
  // Every batch of writes and every swap changes the time.
  const answers = new AnswerCache(async () => (await reader.getRawIndex(uids.live)).updatedAt)
  const missing = new MissingFeatures()
  const tasks = new MeiliTasks(writer, Object.values(uids), retries)
  const indexes = new MeiliIndexes(writer, uids, tasks)
  const writes = new DocumentWrites(writer, tasks)
  const outage = new Outage(replica ?? null)

  /** Whether there is a live index. @throws AppError when it is another application's */
  async function hasLive(): Promise<boolean> {
    const info = await indexes.createdInfoOf('live')
    if (info !== null && info.primaryKey !== primaryKey) {
      throw operatorError(
        'search_index_taken',
        `Meilisearch has an index ${uids.live} that is not this catalog's. Give the catalog a Meilisearch of ` +
          'its own, or remove that index.',
      )
    }
    return info !== null
  }

  /** The settings for an index that must exist, without vectors where the embedder does not answer. */
  async function availableSettings(): Promise<Settings> {
    try {
      return await settings.complete()
    } catch (error) {
      if (error instanceof AppError) {
        return settings.withoutVectors()
      }
      throw error
    }
  }

  const ownVectors: MeiliSearchIndex['ownVectors'] = async (skills) =>
    embedder === null ? new Map() : indexes.knownVectors(skills, embedder)

  const index: MeiliSearchIndex = {
    ...(replica === undefined ? {} : { address: replica.address }),
    settings: settings.fingerprint,
    // One request, with vectors too, so that the next ones are made meanwhile.
    documentsPerApply: 2_000,
    // Meilisearch merges tasks that wait, and takes the longer for each merged batch the larger the index is.
    appliesAtOnce: 40,
    get isFailing() {
      return replica !== undefined && outage.isRecent
    },
    // Idle connections are closed after a timeout.
    close: async () => undefined,
    ownVectors,

    ...outage.watching({
      async prepare() {
        if (!(await hasLive())) {
          await indexes.create('live', await availableSettings())
        }
      },

      async search(query) {
        const known = missing.known(query)
        const search = (each: SearchQuery) => searchSkills(place, each)
        return answers.answer(known, () => missing.search(known, search))
      },

      suggest: (text, limit) => suggest(place, text, limit),

      related: (id, limit) => relatedSkills(place, id, limit),

      async apply({ publish, remove }, target, lock) {
        // Meilisearch would create a missing index itself, without our settings.
        await indexes.require(target, lock)
        const written = { indexUid: uids[target], lock }
        if (remove.length > 0) {
          await writes.remove(written, remove)
        }
        const rejected: ApplyOutcome['rejected'] = []
        const embedders = publish.length === 0 ? [] : await indexes.embeddersOf(target)
        for await (const batch of batchesOf(publish, { embedders, own: embedder })) {
          rejected.push(...(await writes.publish(written, batch)))
        }
        return { rejected }
      },

      async list(afterId, limit, target) {
        await indexes.require(target)
        const page = { filter: idAfter(afterId), sort: ['id:asc'], fields: ['id', 'contentHash'], limit }
        const { results } = await tasks.persist(() => indexes.of(target).getDocuments(page))
        return results.map(({ id, contentHash }) => ({ id, contentHash }))
      },

      async knownVectors(skills) {
        const known = await ownVectors(skills)
        for (const other of replica?.all() ?? []) {
          const unknown = skills.filter(({ skill }) => !known.has(skill.id))
          if (other !== index && unknown.length > 0 && !other.isFailing) {
            // What another server does not return is embedded again.
            for (const [id, vector] of await other.ownVectors(unknown).catch(() => [])) {
              known.set(id, vector)
            }
          }
        }
        return known
      },

      async createNext(lock) {
        // One of several servers may not have answered when the others were prepared.
        await hasLive()
        const complete = await settings.complete()
        await indexes.drop('next', lock)
        await indexes.create('next', complete, lock)
      },

      async swap(lock) {
        await indexes.require('next', lock)
        await indexes.swap(lock)
        await indexes.drop('next', lock)
      },

      async status() {
        const live = reader.index(uids.live)
        try {
          const [{ numberOfDocuments }, stopWords] = await Promise.all([live.getStats(), live.getStopWords()])
          return { documents: numberOfDocuments, settings: settings.fingerprintIn(stopWords ?? []) }
        } catch (error) {
          return nullIfMissing(error) ?? { documents: 0, settings: null }
        }
      },
    } satisfies Partial<MeiliSearchIndex>),
  }
  return index
}
