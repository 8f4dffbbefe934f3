import type { EnqueuedTask, Index, Meilisearch, Settings } from 'meilisearch'
import type { Vector } from '../../../ports/embedder.js'
import type { Lock } from '../../../ports/locks.js'
import type { IndexTarget, SkillWithText } from '../../../ports/search-index.js'
import { indexBeingBuilt } from '../../../runtime/errors.js'
import { embeddedHash } from '../../../text/skill-words.js'
import { noAnswer, refusalCode } from './client.js'
import { type MeiliDocument, primaryKey, readVector } from './documents.js'
import { isOneOf } from './query.js'
import { type MeiliTasks, taskError } from './tasks.js'

/** Documents of one response: each vector takes some kilobytes. */
const maxDocuments = 1_000

/** The two indexes of a catalog in Meilisearch: creates, swaps and drops them. */
export class MeiliIndexes {
  readonly #client: Meilisearch
  readonly #uids: Record<IndexTarget, string>
  readonly #tasks: MeiliTasks

  constructor(client: Meilisearch, uids: Record<IndexTarget, string>, tasks: MeiliTasks) {
    this.#client = client
    this.#uids = uids
    this.#tasks = tasks
  }

  of(target: IndexTarget): Index<MeiliDocument> {
    return this.#client.index<MeiliDocument>(this.#uids[target])
  }

  async create(target: IndexTarget, settings: Settings, lock?: Lock): Promise<void> {
    const uid = this.#uids[target]
    await this.#do(() => this.#client.createIndex(uid, { primaryKey }), { allowed: ['index_already_exists'], lock })
    // Before any document: changed settings would index all documents again.
    await this.#do(() => this.of(target).updateSettings(settings), { lock })
  }

  async drop(target: IndexTarget, lock?: Lock): Promise<void> {
    await this.#do(() => this.#client.deleteIndex(this.#uids[target]), { allowed: ['index_not_found'], lock })
  }

  /** Makes the next index the live one, in one step; the next one is then the former live index, if there was one. */
  async swap(lock: Lock): Promise<void> {
    const swap = {
      indexes: [this.#uids.next, this.#uids.live] as [string, string],
      // Without a live index, rename the next one.
      rename: (await this.infoOf('live')) === null,
    }
    const { tasks } = this.#client
    const [newest] = (await this.#tasks.persist(() => tasks.getTasks({ limit: 1 }))).results
    await this.#do(
      () => this.#client.swapIndexes([swap]),
      { lock },
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

  /**
   * Like `infoOf`, once the index is created whole: Meilisearch shows an index a moment before it sets its primary key,
   * as to an indexer that starts together with the one that creates the index.
   */
  async createdInfoOf(target: IndexTarget) {
    const info = await this.infoOf(target)
    if (info === null || info.primaryKey !== null) {
      return info
    }
    const { results } = await this.#tasks.persist(() =>
      this.#client.tasks.getTasks({
        indexUids: [this.#uids[target]],
        types: ['indexCreation'],
        statuses: ['enqueued', 'processing'],
      }),
    )
    await Promise.all(results.map(({ uid }) => this.#tasks.ended({ taskUid: uid })))
    return this.infoOf(target)
  }

  /** The embedders whose vectors an index has; none when it does not exist. */
  async embeddersOf(target: IndexTarget): Promise<string[]> {
    try {
      return Object.keys((await this.#tasks.persist(() => this.of(target).getEmbedders())) ?? {})
    } catch (error) {
      return nullIfMissing(error) ?? []
    }
  }

  /** The vectors that either index has of the present texts of these skills, by id. */
  async knownVectors(skills: SkillWithText[], embedder: string): Promise<Map<string, Vector>> {
    const known = new Map<string, Vector>()
    const hashes = new Map(skills.map(({ skill, text }) => [skill.id, embeddedHash(skill, text)]))
    for (const target of ['next', 'live'] as const) {
      const ids = [...hashes.keys()].filter((id) => !known.has(id))
      const hasVectors = ids.length > 0 && (await this.embeddersOf(target)).includes(embedder)
      for (let start = 0; hasVectors && start < ids.length; start += maxDocuments) {
        const asked = ids.slice(start, start + maxDocuments)
        // The ids, not their keys: a document that Meilisearch has refused may have a key that it refuses here, too.
        const read = { filter: isOneOf('id', asked), fields: ['id', 'textHash', '_vectors'], limit: asked.length }
        const { results } = await this.#tasks.persist(() =>
          this.of(target).getDocuments({ ...read, retrieveVectors: true }),
        )
        for (const { id, textHash, _vectors } of results) {
          const vector = textHash === hashes.get(id) ? readVector(_vectors, embedder) : null
          if (vector !== null) {
            known.set(id, vector)
          }
        }
      }
    }
    return known
  }

  /**
   * @throws AppError `search_unavailable` (503) when the index does not exist, or when the next index is older than the
   * live one: it is the former live index, which an interrupted swap has not deleted. `lock_lost` when another process
   * has the lock, and may have swapped or deleted the index.
   */
  async require(target: IndexTarget, lock?: Lock): Promise<void> {
    const infoOf = (each: IndexTarget) => this.#tasks.persist(() => this.infoOf(each))
    const info = await infoOf(target)
    const live = target === 'next' ? await infoOf('live') : null
    if (info === null || (live !== null && info.createdAt < live.createdAt)) {
      lock?.check()
      throw indexBeingBuilt()
    }
  }

  /**
   * Enqueues a task and waits for its end.
   *
   * @param options.allowed error codes that mean that there was nothing to do
   * @param options.lock checked before each attempt
   * @param found finds the task when an attempt may have enqueued it without a response
   */
  async #do(
    request: () => Promise<EnqueuedTask>,
    { allowed = [], lock }: { allowed?: string[]; lock?: Lock | undefined } = {},
    found?: () => Promise<EnqueuedTask | null>,
  ): Promise<void> {
    const checked = async () => {
      lock?.check()
      return request()
    }
    const ended = await this.#tasks.ended(await this.#tasks.persist(checked, found))
    // A task that the server has deleted from its list has ended; later requests fail if it did not succeed.
    if (ended !== null && ended.status !== 'succeeded' && !allowed.includes(ended.error?.code ?? '')) {
      throw noAnswer(taskError(ended))
    }
  }
}

/** Throws any other error than that the index does not exist. */
export function nullIfMissing(error: unknown): null {
  if (refusalCode(error) === 'index_not_found') {
    return null
  }
  throw error
}
