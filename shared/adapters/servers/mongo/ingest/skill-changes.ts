import type { AnyBulkWriteOperation, Collection, Document, Filter, FindOptions } from 'mongodb'
import type { Ingested } from '../../../../ports/document-ingest.js'
import type { Fence } from '../../../../ports/locks.js'
import { writeUnordered } from '../bulk-write.js'
import { type CatalogMetadata, findMetadata, wholeMetadata } from '../catalog/catalog-metadata.js'
import type { MongoDeadLetters } from '../catalog/dead-letters.js'
import { metadataField } from '../catalog/document.js'
import { readDocuments } from '../catalog/read-documents.js'
import { hasTextChanged } from '../catalog/unchanged.js'
import type { ChangeDraft, MongoChangeLog } from '../change-log/change-log.js'
import { pendingOnly } from './new-documents.js'

const id = `${metadataField}.id`

/** The maximum number of documents that are remembered as reported. */
const maxReported = 10_000

/** A stamped document. */
interface Stamped {
  _id: unknown
  metadata: CatalogMetadata
}

/** Logs the changes of stamped skills, and keeps the dead letters of those that are rejected. */
export class SkillChanges {
  readonly #skills: Collection
  readonly #log: MongoChangeLog
  readonly #deadLetters: MongoDeadLetters
  /** The reasons of documents that cannot be stamped, by id: each is reported once. */
  readonly #reported = new Map<string, string>()
  /** Documents that cannot be stamped and are not reported yet. */
  #unreported: Ingested['rejected'] = []

  constructor(skills: Collection, log: MongoChangeLog, deadLetters: MongoDeadLetters) {
    this.#skills = skills
    this.#log = log
    this.#deadLetters = deadLetters
  }

  /** Remembers a document that cannot be stamped, to be reported with the next changes. @param own its id */
  keepRefused(own: string, reason: string): void {
    if (this.#reported.get(own) !== reason) {
      if (this.#reported.size >= maxReported) {
        this.#reported.clear()
      }
      this.#reported.set(own, reason)
      this.#unreported.push({ id: own, reason })
    }
  }

  /** The metadata of documents, and the `_id` of those whose metadata another application has damaged. */
  async read(filter: Filter<Document>, options: FindOptions = {}): Promise<{ stamped: Stamped[]; damaged: unknown[] }> {
    const found: { stamped: Stamped[]; damaged: unknown[] } = { stamped: [], damaged: [] }
    for await (const document of readDocuments(this.#skills, filter, {
      ...options,
      projection: { [metadataField]: 1 },
    })) {
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
  async renamedIds(ids: string[]): Promise<Set<string>> {
    const filter = { [`${metadataField}.formerIds`]: { $in: ids }, ...pendingOnly }
    const { stamped } = await this.read(filter)
    return new Set(stamped.flatMap(({ metadata }) => metadata.formerIds))
  }

  /**
   * Logs the changes of these documents, and the removal of deleted ones.
   *
   * @param on.head as it was read before the documents
   * @param on.completes whether the log thereby holds all published skills, for the first time
   */
  async log(
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
      .filter(({ id: each, contentHash, textChanged, wasPublished }) => {
        const isUnlogged = wasPublished === true && !logged.has(each)
        return (
          (logged.get(each) ?? null) !== contentHash ||
          (contentHash === null && isUnlogged) ||
          (contentHash !== null && textChanged === true)
        )
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
  async markPublished(now: Date): Promise<void> {
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
        .map(({ _id, metadata: { hash, pending, textChanged } }): AnyBulkWriteOperation<Document> => {
          const filter: Document = {
            _id,
            [`${metadataField}.hash`]: hash,
            [`${metadataField}.pending`]: pending,
            ...hasTextChanged(textChanged),
          }
          const marks = ['pending', 'textChanged', 'wasPublished'].map((name) => [`${metadataField}.${name}`, ''])
          const update = { $unset: Object.fromEntries(marks) }
          return { updateOne: { filter, update } }
        }),
    )
  }
}
