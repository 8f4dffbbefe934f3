import type { AnyBulkWriteOperation, Collection, Db, Document, Filter, FindOptions } from 'mongodb'
import { letterId, readLetterId } from '../../../../ports/dead-letters.js'
import type { DocumentIngest, Ingested } from '../../../../ports/document-ingest.js'
import type { Fence } from '../../../../ports/locks.js'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { type RecordType, recordTypes } from '../../../../records/records.js'
import { writeUnordered } from '../bulk-write.js'
import { type CatalogMetadata, findMetadata, wholeMetadata } from '../catalog/catalog-metadata.js'
import { MongoDeadLetters } from '../catalog/dead-letters.js'
import { metadataField } from '../catalog/document.js'
import { readBatches, readDocuments } from '../catalog/read-documents.js'
import type { ChangeDraft, MongoChangeLog } from '../change-log/change-log.js'
import { serverTime, translated } from '../connection.js'
import { inOneAnswer } from '../query-time.js'
import { DocumentSearch } from './document-search.js'
import { pendingOnly } from './new-documents.js'
import { updateRecordLetters } from './record-letters.js'
import { Stamper } from './stamper.js'
import { watchCollection } from './watch.js'

const id = `${metadataField}.id`

/** The number of changes that are logged at a time. */
const changesPerBatch = 1_000

/** The maximum number of documents that are remembered as reported. */
const maxReported = 10_000

/**
 * Finds documents that have a state but no text as their id: another application has written their metadata, so that no
 * other query finds them. Reads the whole collection.
 */
const misplaced: Filter<Document> = {
  $or: [
    { [id]: { $not: { $type: 'string' } } },
    { [`${metadataField}.state`]: { $nin: ['published', 'hidden', 'removed', 'rejected'] } },
  ],
}

/** A stamped document. */
interface Stamped {
  _id: unknown
  metadata: CatalogMetadata
}

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
  /** As `#reported`, of prompts and organizations since the last search. */
  readonly #refusedRecords = new Map<string, string>()

  constructor(db: Db, settings: DocumentSettings, log: MongoChangeLog) {
    this.#db = db
    this.#skills = db.collection('skills')
    this.#log = log
    this.#deadLetters = new MongoDeadLetters(db)
    this.#search = new DocumentSearch(db, settings.changedField)
    const stamperOf = (type: RecordType): Stamper =>
      new Stamper(db.collection(type), type, settings, (id, reason) => this.#keepRefused(type, id, reason))
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
      const rejected: Ingested['rejected'] = []
      if (await this.#search.search(now, (type, filter) => this.#stampers[type].stampFound(filter, now, signal))) {
        const records = await this.#updateRecordLetters(null, { at: now, fence })
        rejected.push(...records.filter(({ isNew }) => isNew).map(({ id: letter, reason }) => ({ id: letter, reason })))
      }
      const { head, complete } = await this.#log.writerHead()
      if (head === 0) {
        await this.#markPublished(now)
      }
      const projection = { [metadataField]: 1 }
      const options = {
        sort: { [`${metadataField}.pending`]: 1 },
        projection,
        ...inOneAnswer(changesPerBatch),
      } as const
      const { stamped, damaged } = await this.#stamped(pendingOnly, options)
      const more = stamped.length + damaged.length === changesPerBatch && stamped.length > 0
      if (!more) {
        await this.#search.ended()
      }
      const ingested = await this.#logDocuments(stamped, [], { head, completes: !complete && !more, now, fence })
      if (damaged.length > 0) {
        const these: Document = { _id: { $in: damaged } }
        await this.#stampers.skills.stampFound(these, now, signal)
      }
      return { logged: ingested.logged, rejected: [...rejected, ...ingested.rejected], more }
    })
  }

  ingestIds(letters: string[], fence: Fence): Promise<Ingested> {
    return translated(async () => {
      const now = await serverTime(this.#db)
      const records = letters.map(readLetterId)
      const ids = records.filter(({ type }) => type === 'skills').map((record) => record.id)
      const rejectedRecords = await this.#ingestRecords(records, now, fence)
      const { head } = await this.#log.writerHead()
      const filter = { [id]: { $in: ids } }
      for await (const documents of readBatches(this.#skills, filter, ids.length)) {
        await this.#stampers.skills.stamp(documents, now)
      }
      // Read again: a stamp may have been refused, or have given a document another id.
      const { stamped } = await this.#stamped(filter, { projection: { [metadataField]: 1 } })
      const found = new Set(stamped.map(({ metadata }) => metadata.id))
      const missing = ids.filter((each) => !found.has(each))
      const renamed = missing.length === 0 ? new Set() : await this.#renamedIds(missing)
      const gone = missing.filter((each) => !renamed.has(each))
      const pending = stamped.filter(({ metadata }) => metadata.pending)
      const expected = new Set(pending.map(({ metadata }) => metadata.id))
      const { logged, rejected } = await this.#logDocuments(stamped, gone, { head, completes: false, now, fence })
      return {
        logged: logged.filter((each) => !expected.has(each.id)),
        rejected: [...rejectedRecords, ...rejected],
      }
    })
  }

  /** Ingests prompts and organizations by id. @returns those of them that stay rejected */
  async #ingestRecords(records: { type: RecordType; id: string }[], now: Date, fence: Fence) {
    const others = records.filter(({ type }) => type !== 'skills')
    for (const type of recordTypes.filter((each) => others.some((record) => record.type === each))) {
      const filter = { [id]: { $in: others.filter((record) => record.type === type).map((record) => record.id) } }
      for await (const documents of readBatches(this.#db.collection(type), filter, changesPerBatch)) {
        await this.#stampers[type].stamp(documents, now)
      }
    }
    const letters = others.map((record) => letterId(record.type, record.id))
    const rejected = letters.length === 0 ? [] : await this.#updateRecordLetters(letters, { at: now, fence })
    return rejected
      .filter((each) => letters.includes(each.id))
      .map(({ id: letter, reason }) => ({ id: letter, reason }))
  }

  /** @param dropped the ids of the letters that may be dropped; null: of all letters */
  async #updateRecordLetters(dropped: string[] | null, on: { at: Date; fence: Fence }) {
    const refused = new Map(this.#refusedRecords)
    this.#refusedRecords.clear()
    return updateRecordLetters(this.#db, this.#deadLetters, refused, dropped, on)
  }

  scanHashes(afterId: string | null, limit: number): Promise<{ id: string; contentHash: string }[]> {
    return translated(async () => {
      const now = await serverTime(this.#db)
      if (afterId === null) {
        await this.#stampers.skills.stampFound(misplaced, now)
      }
      const hashes: { id: string; contentHash: string }[] = []
      for (let after: string | null = afterId ?? ''; after !== null && hashes.length === 0; ) {
        const filter: Filter<Document> = { [id]: { $gt: after } }
        after = null
        for await (const documents of readBatches(this.#skills, filter, limit, { sort: { [id]: 1 }, limit })) {
          const ids = documents.map((document) => findMetadata(document).id)
          after = ids.findLast((each) => each !== undefined) ?? after
          await this.#stampers.skills.stampChanged(documents, now)
          hashes.push(
            ...documents.flatMap((document, place) => {
              const { id: own, contentHash } = findMetadata(document)
              // A document that this stamp renamed has another place in the order; it is pending, so it is logged soon.
              return own !== undefined && own === ids[place] && contentHash ? [{ id: own, contentHash }] : []
            }),
          )
        }
      }
      return hashes
    })
  }

  watch(onChange: () => void, onState: (error: unknown) => void): () => Promise<void> {
    return watchCollection(this.#skills, onChange, onState)
  }

  #keepRefused(type: RecordType, id: string, reason: string): void {
    if (type !== 'skills') {
      this.#refusedRecords.set(letterId(type, id), reason)
    } else if (this.#reported.get(id) !== reason) {
      if (this.#reported.size >= maxReported) {
        this.#reported.clear()
      }
      this.#reported.set(id, reason)
      this.#unreported.push({ id, reason })
    }
  }

  /** The metadata of documents, and the `_id` of those whose metadata another application has damaged. */
  async #stamped(filter: Filter<Document>, options: FindOptions): Promise<{ stamped: Stamped[]; damaged: unknown[] }> {
    const found: { stamped: Stamped[]; damaged: unknown[] } = { stamped: [], damaged: [] }
    for await (const document of readDocuments(this.#skills, filter, options)) {
      const metadata = wholeMetadata(document)
      if (metadata === null) {
        found.damaged.push(document['_id'])
      } else {
        found.stamped.push({ _id: document['_id'], metadata })
      }
    }
    return found
  }

  /** The earlier ids of renamed documents, by these ids: the next ingest logs both removal and rename. */
  async #renamedIds(ids: string[]): Promise<Set<string>> {
    const filter = { [`${metadataField}.formerIds`]: { $in: ids }, ...pendingOnly }
    const { stamped } = await this.#stamped(filter, { projection: { [metadataField]: 1 } })
    return new Set(stamped.flatMap(({ metadata }) => metadata.formerIds))
  }

  /**
   * Logs the changes of these documents, and the removal of deleted ones.
   *
   * @param on.head as it was read before the documents
   * @param on.completes whether the log thereby holds all published skills, for the first time
   */
  async #logDocuments(
    documents: Stamped[],
    gone: string[],
    on: { head: number; completes: boolean; now: Date; fence: Fence },
  ): Promise<Ingested> {
    const { head, completes, now, fence } = on
    const metadata = documents.map((document) => document.metadata)
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
    const present = readDocuments(this.#skills, { [id]: { $in: [...ids] } }, { projection: { [id]: 1 } })
    for await (const document of present) {
      ids.delete(findMetadata(document).id ?? '')
    }
    return [...ids]
  }

  /** Marks all published skills as pending: the log is empty, perhaps because it was lost. */
  async #markPublished(now: Date): Promise<void> {
    const pending = `${metadataField}.pending`
    await this.#skills.updateMany(
      // Not in a list, where MongoDB can set no member.
      {
        [`${metadataField}.state`]: 'published',
        [pending]: { $exists: false },
        [metadataField]: { $not: { $type: 'array' } },
      },
      { $set: { [pending]: now } },
    )
  }

  async #clearPending(documents: Stamped[]): Promise<void> {
    await writeUnordered(
      this.#skills,
      documents
        .filter(({ metadata }) => metadata.pending !== undefined)
        .map(({ _id, metadata: { hash, pending } }): AnyBulkWriteOperation<Document> => {
          const filter: Document = {
            _id,
            [`${metadataField}.hash`]: hash,
            [`${metadataField}.pending`]: pending,
          }
          const update = { $unset: { [`${metadataField}.pending`]: '', [`${metadataField}.wasPublished`]: '' } }
          return { updateOne: { filter, update } }
        }),
    )
  }
}
