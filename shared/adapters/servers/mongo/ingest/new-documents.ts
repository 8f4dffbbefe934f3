import { isDeepStrictEqual } from 'node:util'
import type { Collection, Document, Filter } from 'mongodb'
import { changedValue } from '../../../../records/document-settings.js'
import { findMetadata } from '../catalog/catalog-metadata.js'
import { seenAs } from '../catalog/derive-metadata.js'
import { metadataField } from '../catalog/document.js'
import { readBatches } from '../catalog/read-documents.js'
import { unstamped } from './stamper.js'
import { offsetOf, writtenBetween, writtenBetweenAt } from './written-times.js'

/** The maximum difference of a writer's clock from the database's, plus the duration of its write. */
const slackMs = 10 * 60_000

/** Times of writing may have whole seconds: two writes within this time may have the same. */
const coarseMs = 5_000

/** More offsets from UTC are not in use. */
const maxOffsets = 40

/** The number of documents that one step of the comparison reads; the server sends only their changed-fields. */
const documentsPerStep = 2_000

/** A document that the database refuses to stamp, for its size, is not looked for again in this time: it may have 16 MB. */
const refusedMs = 60_000

/** The maximum number of such documents that are not looked for. */
const maxRefused = 1_000

const id = `${metadataField}.id`
const lastSeen = `${metadataField}.lastSeen`

/** Finds documents whose change waits to be logged. */
export const pendingOnly: Filter<Document> = { [`${metadataField}.pending`]: { $gt: new Date(0) } }

/**
 * Finds the documents of a collection that are new or were changed since they were stamped.
 *
 * A new or replaced document has no metadata. A document that was updated in place has a changed-field that differs
 * from the last seen one. An index finds it if the changed-field is a time near the present in a known form (see
 * `writtenBetween`); otherwise a comparison finds it, which reads all documents in small steps.
 */
export class NewDocuments {
  readonly #collection: Collection
  readonly #changedField: string
  /** The time of the last search, by the database's clock, epoch milliseconds; null: never, all documents are new. */
  lookedAtMs: number | null = null
  /** A filter for the documents that the comparison has found since the last search; null: none. */
  #changed: Filter<Document> | null = null
  /** The `_id` of documents that could not be stamped in the last search. */
  #refused: Document[string][] = []
  /** The time of the last search; as `lookedAtMs`. */
  #searchedAtMs = Number.NEGATIVE_INFINITY
  /** The last id that the comparison has read; empty: at the beginning. */
  #comparedTo = ''
  /** Offsets from UTC of writers' times that the comparison has found. */
  readonly #offsetsMs = new Set<number>()

  constructor(collection: Collection, changedField: string) {
    this.#collection = collection
    this.#changedField = changedField
  }

  /**
   * Whether new or changed documents may exist: one read by index. Those that were refused are found again after a minute,
   * or when their changed-field says that they were written since.
   *
   * @param nowMs the database's clock
   */
  async exist(nowMs: number): Promise<boolean> {
    if (this.lookedAtMs === null) {
      return true
    }
    const found = await this.#collection.findOne(
      { $or: [pendingOnly, this.#unstamped(nowMs), ...this.#written(nowMs, this.lookedAtMs)] },
      { projection: { _id: 1 } },
    )
    if (found === null) {
      // Otherwise each later search would read the documents of the last busy minutes again, however long ago.
      this.lookedAtMs = nowMs
    }
    return found !== null
  }

  /** Whether the comparison has found any since the last search. */
  get hasChanged(): boolean {
    return this.#changed !== null
  }

  /** Filters for new and changed documents. @param nowMs the database's clock */
  filters(nowMs: number): Filter<Document>[] {
    const changed = this.#changed === null ? [] : [this.#changed]
    this.#refused = []
    return this.lookedAtMs === null
      ? [{}]
      : [{ $or: [unstamped, ...this.#written(nowMs, this.lookedAtMs)] }, ...changed]
  }

  /** Records that all documents up to this time, by the database's clock, have been processed. */
  looked(nowMs: number): void {
    this.lookedAtMs = nowMs
    this.#searchedAtMs = nowMs
    this.#changed = null
  }

  /** Records that a document of this search cannot be stamped. @param identity its `_id` */
  refused(identity: Document[string]): void {
    if (identity !== undefined && this.#refused.length < maxRefused) {
      this.#refused.push(identity)
    }
  }

  /** Compares the next documents; does nothing while documents of an earlier step have not been processed. */
  async compareStep(): Promise<void> {
    if (this.hasChanged) {
      return
    }
    const projection = { [id]: 1, [lastSeen]: 1, [this.#changedField]: 1 }
    const filter = { [id]: { $gt: this.#comparedTo } }
    const options = { sort: { [id]: 1 }, limit: documentsPerStep, projection } as const
    const changed: Document[string][] = []
    let compared = 0
    for await (const documents of readBatches(this.#collection, filter, documentsPerStep, options)) {
      for (const document of documents) {
        const value = changedValue(document, { changedField: this.#changedField })
        const { id: own, lastSeen: seen } = findMetadata(document)
        if (document['_id'] !== undefined && ![value, seenAs(value)].some((each) => isDeepStrictEqual(each, seen))) {
          changed.push(document['_id'])
        }
        const offsetMs = offsetOf(value)
        if (offsetMs !== null && this.#offsetsMs.size < maxOffsets) {
          this.#offsetsMs.add(offsetMs)
        }
        this.#comparedTo = own ?? this.#comparedTo
        compared += 1
      }
    }
    if (compared < documentsPerStep) {
      this.#comparedTo = ''
    }
    if (changed.length > 0) {
      this.#changed = { _id: { $in: changed } }
    }
  }

  #unstamped(nowMs: number): Filter<Document> {
    const isRecent = nowMs - this.#searchedAtMs < refusedMs && this.#refused.length > 0
    return isRecent ? { ...unstamped, _id: { $nin: this.#refused } } : unstamped
  }

  #written(nowMs: number, lookedAtMs: number): Filter<Document>[] {
    const field = this.#changedField
    // The database's clock may have been set back since.
    const sinceMs = Math.min(lookedAtMs, nowMs)
    const [fromMs, toMs] = [sinceMs - slackMs, nowMs + slackMs]
    const moved = { $expr: { $ne: [`$${field}`, `$${lastSeen}`] } }
    const recent = [
      ...writtenBetween(field, fromMs, toMs),
      ...[...this.#offsetsMs].flatMap((offsetMs) => writtenBetweenAt(field, offsetMs, fromMs, toMs)),
    ]
    return [
      ...recent.map((times) => ({ ...times, ...moved })),
      ...writtenBetween(field, sinceMs - coarseMs, nowMs + coarseMs),
    ]
  }
}
