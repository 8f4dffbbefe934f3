import type { AnyBulkWriteOperation, Collection, Db, Document } from 'mongodb'
import type { DocumentIngest, Ingested } from '../../../../ports/document-ingest.js'
import type { Fence } from '../../../../ports/locks.js'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import type { RecordType } from '../../../../records/records.js'
import { writeUnordered } from '../bulk-write.js'
import type { CatalogMetadata } from '../catalog/catalog-metadata.js'
import { MongoDeadLetters } from '../catalog/dead-letters.js'
import { metadataField } from '../catalog/document.js'
import type { ChangeDraft, MongoChangeLog } from '../change-log/change-log.js'
import { serverTime, translated } from '../connection.js'
import { inOneAnswer } from '../query-time.js'
import { DocumentSearch } from './document-search.js'
import { pendingOnly } from './new-documents.js'
import { Stamper } from './stamper.js'
import { watchCollection } from './watch.js'

const id = `${metadataField}.id`

/** The number of changes that are logged at a time. */
const changesPerBatch = 1_000

/** The maximum number of documents that are remembered as reported. */
const maxReported = 10_000

/**
 * Finds the documents that imports and other applications have written to the database, stamps them with catalog
 * metadata, and logs the changes of published skills.
 *
 * A stamp marks its document as pending, in the same write. Pending documents are logged, then the mark is removed from
 * those that have not changed again: a process that stops between any two of these writes loses nothing, and clocks do
 * not matter.
 */
export class MongoIngest implements DocumentIngest {
  readonly #db: Db
  readonly #skills: Collection
  readonly #log: MongoChangeLog
  readonly #deadLetters: MongoDeadLetters
  readonly #search: DocumentSearch
  readonly #stampers: Record<RecordType, Stamper>
  /** The reasons of documents that cannot be stamped, by id: each is reported once. */
  readonly #reported = new Map<string, string>()
  /** Documents that cannot be stamped and are not reported yet. */
  #unreported: Ingested['rejected'] = []
  constructor(db: Db, settings: DocumentSettings, log: MongoChangeLog) {
    this.#db = db
    this.#skills = db.collection('skills')
    this.#log = log
    this.#deadLetters = new MongoDeadLetters(db)
    this.#search = new DocumentSearch(db, settings.changedField)
    const stamperOf = (type: RecordType): Stamper =>
      new Stamper(db.collection(type), type, settings, (id, reason) => this.#keepRefused(id, reason))
    this.#stampers = {
      skills: stamperOf('skills'),
      prompts: stamperOf('prompts'),
      organizations: stamperOf('organizations'),
    }
  }

  hasNew(): Promise<boolean> {
    return translated(() => this.#search.hasNew())
  }

  ingest(fence: Fence, signal?: AbortSignal): Promise<Ingested & { more: boolean }> {
    return translated(async () => {
      const now = await serverTime(this.#db)
      await this.#search.search(now, (type, filter) => this.#stampers[type].stampFound(filter, now, signal))
      const { head, complete } = await this.#log.writerHead()
      if (head === 0) {
        await this.#markPublished(now)
      }
      const documents = await this.#skills
        .find(pendingOnly, {
          sort: { [`${metadataField}.pending`]: 1 },
          projection: { [metadataField]: 1 },
          ...inOneAnswer(changesPerBatch),
        })
        .toArray()
      const more = documents.length === changesPerBatch
      if (!more) {
        await this.#search.ended()
      }
      const ingested = await this.#logDocuments(documents, [], { head, completes: !complete && !more, now, fence })
      return { ...ingested, more }
    })
  }

  ingestIds(ids: string[], fence: Fence): Promise<Ingested> {
    return translated(async () => {
      const now = await serverTime(this.#db)
      const { head } = await this.#log.writerHead()
      await this.#stampers.skills.stamp(await this.#find(ids), now)
      // Read again: a stamp may have been refused, or have given a document another id.
      const documents = await this.#find(ids)
      const found = new Set(documents.map((document) => document[metadataField].id))
      const missing = ids.filter((each) => !found.has(each))
      const renamed = missing.length === 0 ? new Set() : await this.#renamedIds(missing)
      const gone = missing.filter((each) => !renamed.has(each))
      const pending = documents
        .map((document): CatalogMetadata => document[metadataField])
        .filter((each) => each.pending)
      const expected = new Set(pending.map((each) => each.id))
      const { logged, rejected } = await this.#logDocuments(documents, gone, { head, completes: false, now, fence })
      return { logged: logged.filter((each) => !expected.has(each.id)), rejected }
    })
  }

  scanHashes(afterId: string | null, limit: number): Promise<{ id: string; contentHash: string }[]> {
    return translated(async () => {
      const now = await serverTime(this.#db)
      const hashes: { id: string; contentHash: string }[] = []
      for (let after: string | null = afterId ?? ''; after !== null && hashes.length === 0; ) {
        const documents: Document[] = await this.#skills
          .find({ [id]: { $gt: after } }, { sort: { [id]: 1 }, limit })
          .toArray()
        const ids: string[] = documents.map((document) => document[metadataField].id)
        after = ids.at(-1) ?? null
        await this.#stampers.skills.stampChanged(documents, now)
        const metadata: CatalogMetadata[] = documents.map((document) => document[metadataField])
        hashes.push(
          ...metadata.flatMap((each, place) =>
            // A document that this stamp renamed has another place in the order; it is pending, so it is logged soon.
            each.contentHash === null || each.id !== ids[place] ? [] : [{ id: each.id, contentHash: each.contentHash }],
          ),
        )
      }
      return hashes
    })
  }

  watch(onChange: () => void): () => Promise<void> {
    return watchCollection(this.#skills, onChange)
  }

  #keepRefused(id: string, reason: string): void {
    if (this.#reported.get(id) !== reason) {
      if (this.#reported.size >= maxReported) {
        this.#reported.clear()
      }
      this.#reported.set(id, reason)
      this.#unreported.push({ id, reason })
    }
  }

  #find(ids: string[]): Promise<Document[]> {
    return this.#skills.find({ [id]: { $in: ids } }).toArray()
  }

  /** The earlier ids of renamed documents, by these ids: the next ingest logs both removal and rename. */
  async #renamedIds(ids: string[]): Promise<Set<string>> {
    const filter = { [`${metadataField}.formerIds`]: { $in: ids }, ...pendingOnly }
    const documents = await this.#skills.find(filter, { projection: { [metadataField]: 1 } }).toArray()
    return new Set(documents.flatMap((document): string[] => document[metadataField].formerIds))
  }

  /**
   * Logs the changes of these documents, and the removal of deleted ones.
   *
   * @param on.head as it was read before the documents
   * @param on.completes whether the log thereby holds all published skills, for the first time
   */
  async #logDocuments(
    documents: Document[],
    gone: string[],
    on: { head: number; completes: boolean; now: Date; fence: Fence },
  ): Promise<Ingested> {
    const { head, completes, now, fence } = on
    const metadata: CatalogMetadata[] = documents.map((document) => document[metadataField])
    const leftIds = [...gone, ...(await this.#abandonedIds(metadata))]
    const drafts = await this.#draftsOf(metadata, leftIds, head)
    // Also without changes: an earlier holder of the lock may have read other content of these documents, and must not
    // log it any more.
    if (drafts.length > 0 || documents.length > 0 || completes) {
      await this.#log.append({ onto: head, changes: drafts, complete: completes, at: now, epoch: fence.epoch })
    }
    const rejected = metadata.flatMap((each) =>
      each.reason === undefined ? [] : [{ id: each.id, reason: each.reason }],
    )
    for (const each of metadata) {
      this.#reported.delete(each.id)
    }
    rejected.push(...this.#unreported)
    const since = now.toISOString()
    await this.#deadLetters.keepDeadLetters(
      rejected.map((each) => ({ ...each, since, source: 'document' })),
      fence,
    )
    this.#unreported = []
    const rejectedIds = new Set([...rejected.map((each) => each.id), ...this.#reported.keys()])
    const others = [...gone, ...metadata.map((each) => each.id)].filter((each) => !rejectedIds.has(each))
    await this.#deadLetters.dropDeadLetters(others, 'document', fence)
    await this.#clearPending(documents)
    return { logged: drafts, rejected }
  }

  /** The changes that the log lacks. A skill that was never published has no removal: its existence is not public. */
  async #draftsOf(metadata: CatalogMetadata[], gone: string[], head: number): Promise<ChangeDraft[]> {
    const ids = [...new Set([...metadata.map((each) => each.id), ...gone])]
    // Entries without a head are of a log that was lost in part: no reader sees them.
    const entries = head === 0 || ids.length === 0 ? [] : await this.#log.loggedBefore(ids)
    const logged = new Map(entries.map((entry) => [entry.id, entry.contentHash]))
    const drafts = metadata
      .filter(({ id: each, contentHash, wasPublished }) => {
        const isUnlogged = wasPublished === true && !logged.has(each)
        return (logged.get(each) ?? null) !== contentHash || (contentHash === null && isUnlogged)
      })
      .map(({ id: each, contentHash }): ChangeDraft => ({ id: each, contentHash }))
    const removals = gone.filter((each) => (logged.get(each) ?? null) !== null)
    return [...drafts, ...removals.map((each) => ({ id: each, contentHash: null }))]
  }

  /** Previous ids of these documents, by their metadata or their own fields, that no document has now. */
  async #abandonedIds(metadata: CatalogMetadata[]): Promise<string[]> {
    const ids = new Set(metadata.flatMap(({ previousIds, formerIds }) => [...previousIds, ...formerIds]))
    if (ids.size === 0) {
      return []
    }
    const present = this.#skills.find({ [id]: { $in: [...ids] } }, { projection: { [id]: 1 } })
    for await (const document of present) {
      ids.delete(document[metadataField].id)
    }
    return [...ids]
  }

  /** Marks all published skills as pending: the log is empty, perhaps because it was lost. */
  async #markPublished(now: Date): Promise<void> {
    const pending = `${metadataField}.pending`
    await this.#skills.updateMany(
      { [`${metadataField}.state`]: 'published', [pending]: { $exists: false } },
      { $set: { [pending]: now } },
    )
  }

  async #clearPending(documents: Document[]): Promise<void> {
    await writeUnordered(
      this.#skills,
      documents
        .filter((document) => document[metadataField].pending !== undefined)
        .map((document): AnyBulkWriteOperation<Document> => {
          const { hash, pending } = document[metadataField] as CatalogMetadata
          const filter = {
            _id: document['_id'],
            [`${metadataField}.hash`]: hash,
            [`${metadataField}.pending`]: pending,
          }
          const update = { $unset: { [`${metadataField}.pending`]: '', [`${metadataField}.wasPublished`]: '' } }
          return { updateOne: { filter, update } }
        }),
    )
  }
}
