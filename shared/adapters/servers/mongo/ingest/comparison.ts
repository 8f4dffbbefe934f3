import type { Db, Document, Filter } from 'mongodb'
import { changedValue } from '../../../../records/document-settings.js'
import { type RecordType, recordTypes } from '../../../../records/records.js'
import type { MongoDeadLetters } from '../catalog/job-data.js'
import { documentsOf, inBatches, keyOf, type Row, rowsOf } from '../rows.js'
import type { SourceDocuments } from './document-batches.js'

/** Documents, or rows, that are compared at a time. */
const atOnce = 500

/** The steps of a comparison; returning ends it early. */
export type Comparison = AsyncGenerator<SourceDocuments, void>

/**
 * Compares all documents with their rows, in steps: first each document, then each row and each dead letter, whose document
 * may be gone. What a stream cannot say is found by this alone: what was written before the first start, while the position
 * was lost, or on a server without streams.
 *
 * Only `_id`s are read ahead: the documents are read when their step is taken, as they are then.
 */
export async function* compareAll(db: Db, letters: MongoDeadLetters): Comparison {
  const options = { sort: { _id: 1 }, batchSize: atOnce } as const
  for (const type of recordTypes) {
    const documents = documentsOf(db, type).find({}, { ...options, projection: { _id: 1 } })
    for await (const found of inBatches(documents, atOnce)) {
      yield { type, sources: found.map(({ _id }) => _id) }
    }
    const rows = rowsOf(db, type).find({}, { ...options, projection: { source: 1, contentHash: 1 } })
    for await (const found of inBatches(rows, atOnce)) {
      yield await withoutDocument(db, type, found)
    }
    // A duplicate has no row: only its letter names its document.
    for await (const found of inBatches(letters.documentsOf(type), atOnce)) {
      yield { type, sources: await withoutPresent(db, type, found) }
    }
  }
}

/** Those of these `_id`s that no document has. */
async function withoutPresent(db: Db, type: RecordType, sources: unknown[]): Promise<unknown[]> {
  const filter: Document = { _id: { $in: sources } }
  const found = await documentsOf(db, type)
    .find(filter, { projection: { _id: 1 } })
    .toArray()
  const present = new Set(found.map(({ _id }) => keyOf(_id)))
  return sources.filter((source) => !present.has(keyOf(source)))
}

/** The rows of which the document is gone: by its `_id`, and, of those that had none before, by their ids. */
async function withoutDocument(db: Db, type: RecordType, rows: Row[]): Promise<SourceDocuments> {
  const sources = rows.flatMap(({ source }) => (source === undefined ? [] : [source]))
  const lost = rows.filter(({ source, contentHash }) => source === undefined && typeof contentHash === 'string')
  return { type, sources: await withoutPresent(db, type, sources), lost: lost.map(({ _id }) => _id) }
}

/** Clocks of writers may differ from the database's by so much, and a write may be seen so much later. */
const slackMs = 60_000

const maxRemembered = 100_000

/**
 * Finds the documents that were written lately by the index of their changed-field: on a server without change streams.
 *
 * What the field does not show, by its form or because it was not written, is found by the comparison.
 */
export class RecentWrites {
  readonly #db: Db
  readonly #changedField: string
  /** The changed-field of the documents that were found last, by their type and keys. */
  #known = new Map<string, string>()

  constructor(db: Db, changedField: string) {
    this.#db = db
    this.#changedField = changedField
  }

  /**
   * The `_id`s, by type, of documents whose changed-field is near the present, or after `sinceMs`, and was not found with
   * this value before.
   *
   * @param sinceMs epoch milliseconds by the database's clock, also `nowMs`
   * @param reads whether the caller reads them: the next call does not find them again
   */
  async find(sinceMs: number, nowMs: number, reads: boolean): Promise<SourceDocuments[]> {
    const filter = { $or: writtenBetween(this.#changedField, Math.min(sinceMs, nowMs) - slackMs, nowMs + slackMs) }
    const found = new Map<string, string>()
    const changed = recordTypes.map((type): SourceDocuments => ({ type, sources: [] }))
    for (const { type, sources } of changed) {
      const projection = { [this.#changedField]: 1 }
      for await (const document of documentsOf(this.#db, type).find(filter, { projection })) {
        const key = `${type} ${keyOf(document['_id'])}`
        const value = keyOf(changedValue(document, { changedField: this.#changedField }))
        if (this.#known.get(key) !== value) {
          sources.push(document['_id'])
        }
        if (found.size < maxRemembered) {
          found.set(key, value)
        }
      }
    }
    this.#known = reads ? found : this.#known
    return changed.filter(({ sources }) => sources.length > 0)
  }

  /** Finds all of them again: what was found was not read. */
  forget(): void {
    this.#known.clear()
  }
}

/**
 * Filters for a time span, one for each form in which a writer may store a time: a date; ISO-8601 text in UTC; seconds or
 * milliseconds since 1970, as numbers or text. MongoDB compares a value only with values of its own type. Each has both
 * ends: otherwise times in the future, numbers of another unit and texts in other forms would match at every search.
 */
function writtenBetween(field: string, fromMs: number, toMs: number): Filter<Document>[] {
  const [from, to] = [Math.max(0, fromMs), Math.max(0, toMs)]
  const [fromText, toText] = [new Date(from).toISOString(), new Date(to).toISOString()]
  const seconds = (ms: number) => Math.floor(ms / 1_000)
  const within = <T>(min: T, max: T): Filter<Document> => ({ [field]: { $gte: min, $lte: max } })
  return [
    within(new Date(from), new Date(to)),
    within(fromText, toText),
    within(fromText.replace('T', ' '), toText.replace('T', ' ')),
    within(from / 1_000, to / 1_000),
    within(from, to),
    // Ten digits, and three more for milliseconds, which sort after the same seconds.
    within(String(seconds(from)), String(seconds(to) + 1)),
  ]
}
