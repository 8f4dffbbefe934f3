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

/**
 * Compares all documents with their rows, in steps: first each document, then each row, whose document may be gone. What a
 * stream cannot say is found by this alone: what was written before the first start, while the position was lost, or on a
 * server without streams.
 *
 * Only `_id`s are read ahead: the documents are read when their step is taken, as they are then.
 */
export class Comparison {
  readonly #db: Db
  readonly #parts: [of: 'documents' | 'rows', type: RecordType][] = recordTypes.flatMap((type) => [
    ['documents', type],
    ['rows', type],
  ])
  #cursor: FindCursor<Document> | null = null

  constructor(db: Db) {
    this.#db = db
  }

  /** The next step; null: all were compared. */
  async next(): Promise<ComparisonStep | null> {
    for (let part = this.#parts[0]; part !== undefined; part = this.#parts[0]) {
      const [of, type] = part
      this.#cursor ??= this.#open(of, type)
      const found: Document[] = []
      while (found.length < atOnce && (await this.#cursor.hasNext())) {
        const each = await this.#cursor.next()
        found.push(...(each === null ? [] : [each]))
      }
      if (found.length > 0) {
        return of === 'documents'
          ? { type, sources: found.map(({ _id }) => _id), lost: [] }
          : await this.#withoutDocument(type, found as unknown as Row[])
      }
      await this.#cursor.close()
      this.#cursor = null
      this.#parts.shift()
    }
    return null
  }

  async close(): Promise<void> {
    await this.#cursor?.close().catch(() => undefined)
    this.#cursor = null
  }

  #open(of: 'documents' | 'rows', type: RecordType): FindCursor<Document> {
    const options = { sort: { _id: 1 }, batchSize: atOnce } as const
    return of === 'documents'
      ? documentsOf(this.#db, type).find({}, { ...options, projection: { _id: 1 } })
      : (rowsOf(this.#db, type).find(
          {},
          { ...options, projection: { source: 1, state: 1, contentHash: 1 } },
        ) as unknown as FindCursor<Document>)
  }

  async #withoutDocument(type: RecordType, rows: Row[]): Promise<ComparisonStep> {
    const sources = rows.flatMap(({ source }) => (source === undefined ? [] : [source]))
    const filter: Document = { _id: { $in: sources } }
    const found = await documentsOf(this.#db, type)
      .find(filter, { projection: { _id: 1 } })
      .toArray()
    const present = new Set(found.map(({ _id }) => keyOf(_id)))
    return {
      type,
      sources: sources.filter((source) => !present.has(keyOf(source))),
      lost: rows
        .filter(({ source, contentHash }) => source === undefined && typeof contentHash === 'string')
        .map(({ _id }) => _id),
    }
  }
}
