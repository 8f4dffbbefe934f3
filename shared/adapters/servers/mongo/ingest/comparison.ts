import type { Db, Document, FindCursor } from 'mongodb'
import { type RecordType, recordTypes } from '../../../../records/records.js'
import { documentsOf, keyOf, type Row, rowsOf } from '../rows.js'

/** Documents, or rows, that are compared at a time. */
const atOnce = 500

/** The next documents that a comparison reads. */
export interface ComparisonStep {
  type: RecordType
  /** Their `_id`s. */
  sources: unknown[]
  /** Rows without a document, by their ids. */
  lost: string[]
}

/** The steps of a comparison; returning ends it early. */
export type Comparison = AsyncGenerator<ComparisonStep, void>

/**
 * Compares all documents with their rows, in steps: first each document, then each row, whose document may be gone. What a
 * stream cannot say is found by this alone: what was written before the first start, while the position was lost, or on a
 * server without streams.
 *
 * Only `_id`s are read ahead: the documents are read when their step is taken, as they are then.
 */
export async function* compareAll(db: Db): Comparison {
  const options = { sort: { _id: 1 }, batchSize: atOnce } as const
  for (const type of recordTypes) {
    const documents = documentsOf(db, type).find({}, { ...options, projection: { _id: 1 } })
    for await (const found of inBatches(documents)) {
      yield { type, sources: found.map(({ _id }) => _id), lost: [] }
    }
    const rows = rowsOf(db, type).find({}, { ...options, projection: { source: 1, contentHash: 1 } })
    for await (const found of inBatches(rows)) {
      yield { type, ...(await withoutDocument(db, type, found)) }
    }
  }
}

async function* inBatches<T extends Document>(cursor: FindCursor<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const each of cursor) {
    batch.push(each)
    if (batch.length === atOnce) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) {
    yield batch
  }
}

/** The rows of which the document is gone: by its `_id`, and, of those that had none before, by their ids. */
async function withoutDocument(db: Db, type: RecordType, rows: Row[]): Promise<Omit<ComparisonStep, 'type'>> {
  const sources = rows.flatMap(({ source }) => (source === undefined ? [] : [source]))
  const filter: Document = { _id: { $in: sources } }
  const found = await documentsOf(db, type)
    .find(filter, { projection: { _id: 1 } })
    .toArray()
  const present = new Set(found.map(({ _id }) => keyOf(_id)))
  const lost = rows.filter(({ source, contentHash }) => source === undefined && typeof contentHash === 'string')
  return { sources: sources.filter((source) => !present.has(keyOf(source))), lost: lost.map(({ _id }) => _id) }
}
