import type { Collection, Db, Document, Filter } from 'mongodb'
import { letterId, readLetterId } from '../../../../ports/dead-letters.js'
import type { DocumentIngest, Ingested } from '../../../../ports/document-ingest.js'
import type { Fence } from '../../../../ports/locks.js'
import type { DocumentSettings } from '../../../../records/document-settings.js'
import { type RecordType, recordTypes } from '../../../../records/records.js'
import { findMetadata } from '../catalog/catalog-metadata.js'
import { MongoDeadLetters } from '../catalog/dead-letters.js'
import { metadataField } from '../catalog/document.js'
import { readBatches } from '../catalog/read-documents.js'
import type { MongoChangeLog } from '../change-log/change-log.js'
import { serverTime, translated } from '../connection.js'
import { inOneAnswer } from '../query-time.js'
import { DocumentSearch } from './document-search.js'
import { pendingOnly } from './new-documents.js'
import { updateRecordLetters } from './record-letters.js'
import { SkillChanges } from './skill-changes.js'
import { type RefusedDocument, Stamper } from './stamper.js'
import { watchCollection } from './watch.js'

const id = `${metadataField}.id`

/** The number of changes that are logged at a time. */
const changesPerBatch = 1_000

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
  readonly #changes: SkillChanges
  readonly #stampers: Record<RecordType, Stamper>
  /** Why prompts and organizations cannot be stamped, by the id of their letter; since the last search. */
  readonly #refusedRecords = new Map<string, string>()

  constructor(db: Db, settings: DocumentSettings, log: MongoChangeLog) {
    this.#db = db
    this.#skills = db.collection('skills')
    this.#log = log
    this.#deadLetters = new MongoDeadLetters(db)
    this.#changes = new SkillChanges(this.#skills, log, this.#deadLetters)
    this.#search = new DocumentSearch(db, settings.changedField)
    const stamperOf = (type: RecordType): Stamper =>
      new Stamper(db.collection(type), type, settings, (refused) => this.#keepRefused(type, refused))
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
        await this.#changes.markPublished(now)
      }
      const options = { sort: { [`${metadataField}.pending`]: 1 }, ...inOneAnswer(changesPerBatch) } as const
      const { stamped, damaged } = await this.#changes.read(pendingOnly, options)
      const more = stamped.length + damaged.length === changesPerBatch && stamped.length > 0
      if (!more) {
        await this.#search.ended()
      }
      const ingested = await this.#changes.log(stamped, [], { head, completes: !complete && !more, now, fence })
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
      const { stamped } = await this.#changes.read(filter)
      const found = new Set(stamped.map(({ metadata }) => metadata.id))
      const missing = ids.filter((each) => !found.has(each))
      const renamed = missing.length === 0 ? new Set() : await this.#changes.renamedIds(missing)
      const gone = missing.filter((each) => !renamed.has(each))
      const pending = stamped.filter(({ metadata }) => metadata.pending)
      const expected = new Set(pending.map(({ metadata }) => metadata.id))
      const { logged, rejected } = await this.#changes.log(stamped, gone, { head, completes: false, now, fence })
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

  #keepRefused(type: RecordType, { _id, id, reason }: RefusedDocument): void {
    this.#search.refused(type, _id)
    if (type === 'skills') {
      this.#changes.keepRefused(id, reason)
    } else {
      this.#refusedRecords.set(letterId(type, id), reason)
    }
  }
}
