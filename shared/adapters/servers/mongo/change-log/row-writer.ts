import { randomUUID } from 'node:crypto'
import {
  type AnyBulkWriteOperation,
  type Collection,
  type Db,
  type Filter,
  MongoBulkWriteError,
  type UpdateFilter,
} from 'mongodb'
import { nextSequence, sequenceStep } from '../../../../ports/change-log.js'
import type { RecordType } from '../../../../records/records.js'
import { lockLost } from '../../../../runtime/errors.js'
import { duplicateKey, isDuplicateKey } from '../connection.js'
import { olderThan } from '../locks/lock.js'
import { type Row, rowsOf, writtenMembers } from '../rows.js'

/** A row to write, with the log's members of a change that is logged. */
export interface RowDraft {
  row: Omit<Row, 'version'>
  /** Whether readers of the log are to see it: it gets a new sequence. */
  logged: boolean
  isNew: boolean
}

/** The rows that a writer appends in one step. */
export interface RowBatch {
  /** The head that the writer read before it derived the rows: see `append`. */
  onto: Pick<WriterHead, 'head' | 'version'>
  type: RecordType
  /** Each id at most once, in order. */
  rows: RowDraft[]
  /** Whether the log with this batch holds all published skills. Once complete, it stays complete. */
  complete?: boolean
  /** Up to where the documents are read with this batch; absent: as before. */
  position?: IngestPosition
  at: Date
  /** The epoch of the lock that all writers hold. */
  epoch: number
}

/** Up to where the documents of other applications are read. */
export interface IngestPosition {
  /** The resume token of the change stream; null: there is none. */
  token: unknown
  /** Whether all documents have yet to be compared with the rows. */
  mustCompare: boolean
  /** When that was, epoch milliseconds by the database's clock. */
  atMs: number
  /** The keys that rows had; absent in positions of earlier versions. */
  keys?: string
}

/** The state of the log: the one document of its collection. */
export interface Head {
  _id: 'head'
  sequence: number
  /** The last sequence up to which all rows are written: the head for readers. */
  settled: number
  /** The number of the last batch. Absent in logs of earlier versions. */
  version?: number
  horizon: number
  complete: boolean
  /** See `LogBounds`; absent in logs of earlier versions. */
  catalog?: string
  /** The epoch of the last writer's lock; absent in logs of earlier versions. */
  epoch?: number
  position?: IngestPosition
  /** The batch that is being written. */
  pending: PendingRow[]
}

interface PendingRow {
  /** The same in all rows of a batch. */
  type: RecordType
  row: Row
  isNew: boolean
}

/** What a writer reads before it derives rows. */
export interface WriterHead {
  /** 0: nothing was ever logged. */
  head: number
  version: number
  complete: boolean
  /** Null: no documents were ever read. */
  position: IngestPosition | null
}

/**
 * Writes rows, and with them the change log.
 *
 * To be atomic without transactions, a batch is first written into the head document. That write succeeds only on the
 * head that the writer has read, so that one of two writers is rejected, even after a long pause. Then the rows are
 * written, by the next caller if this writer stops, and only then shown to readers of the log.
 */
export class RowWriter {
  readonly #db: Db
  readonly #heads: Collection<Head>

  constructor(db: Db) {
    this.#db = db
    this.#heads = db.collection('change_log')
  }

  /**
   * Writes a batch of rows: all of it, or nothing. An empty one only rejects the later batches of earlier holders of the
   * lock.
   *
   * @returns the new head
   * @throws AppError `lock_lost` (409) when the head is no longer `onto`: another writer has written rows that this
   * one has not read; or when a later holder of the lock has appended
   */
  async append({ onto, type, rows, complete, position, at, epoch }: RowBatch): Promise<RowBatch['onto']> {
    const changedAt = at.toISOString()
    // No lower than the milliseconds since 1970, so that it grows even after the loss of the head.
    const version = Math.max(onto.version + 1, at.getTime())
    const first = nextSequence(onto.head, at)
    let sequence = onto.head
    const pending = rows.map(({ row: given, logged, isNew }): PendingRow => {
      if (logged) {
        sequence = sequence === onto.head ? first : sequence + sequenceStep
      }
      const row = { ...given, version, ...(logged ? logMembers(given, sequence, changedAt) : {}) }
      return { type, row, isNew }
    })
    await this.#claim(onto.version, {
      sequence,
      version,
      epoch,
      pending,
      // No reader can continue from before the first change.
      ...(onto.head === 0 && sequence > 0 ? { horizon: first - sequenceStep } : {}),
      ...(complete ? { complete } : {}),
      ...(position === undefined ? {} : { position }),
    })
    await this.#settle(version, sequence, pending)
    return { head: sequence, version }
  }

  /** The head, after all rows up to it have been written. */
  async head(): Promise<WriterHead> {
    const head = (await this.#heads.findOne({ _id: 'head' })) ?? (await this.#recovered())
    if (head === null) {
      return { head: 0, version: 0, complete: false, position: null }
    }
    if (head.catalog === undefined) {
      await this.#heads.updateOne({ _id: 'head', catalog: { $exists: false } }, { $set: { catalog: randomUUID() } })
    }
    const { sequence, version = 0, complete, position = null, pending } = head
    await this.#settle(version, sequence, pending)
    return { head: sequence, version, complete, position }
  }

  /** The head of a log that has lost it: readers must start again. Null: there is no log. */
  async #recovered(): Promise<Head | null> {
    const [last] = await rowsOf(this.#db, 'skills')
      .find({ sequence: { $gt: 0 } }, { sort: { sequence: -1 }, limit: 1 })
      .toArray()
    if (last?.sequence === undefined) {
      return null
    }
    const { sequence, version } = last
    const head = { sequence, settled: sequence, version, horizon: sequence, complete: false, catalog: randomUUID() }
    await this.#heads.updateOne({ _id: 'head' }, { $setOnInsert: { ...head, pending: [] } }, { upsert: true })
    return this.#heads.findOne({ _id: 'head' })
  }

  /**
   * Moves the head, if it has not moved since the writer read it, without a batch being written, and no later holder of
   * the lock has written it.
   */
  async #claim(onto: number, next: Pick<Head, 'sequence' | 'pending'> & Partial<Head> & { epoch: number }) {
    // Without rows that follow it, the head is settled with the same write.
    const settled = next.pending.length === 0 ? { settled: next.sequence } : {}
    const { matchedCount } = await this.#heads.updateOne(
      { _id: 'head', version: onto, 'pending.0': { $exists: false }, ...olderThan(next.epoch) } as Filter<Head>,
      { $set: { ...next, ...settled } },
    )
    if (matchedCount > 0) {
      return
    }
    if (onto !== 0) {
      throw lockLost('change log')
    }
    try {
      await this.#heads.insertOne({
        settled: 0,
        horizon: 0,
        complete: false,
        catalog: randomUUID(),
        ...next,
        ...settled,
        _id: 'head',
      })
    } catch (error) {
      throw isDuplicateKey(error) ? lockLost('change log') : error
    }
  }

  /** Writes the rows of a batch and shows it to readers. Idempotent, also when late. */
  async #settle(version: number, sequence: number, pending: Head['pending']): Promise<void> {
    const [first] = pending
    if (first === undefined) {
      return
    }
    await this.#put(first.type, pending)
    await this.#heads.updateOne({ _id: 'head', version }, { $set: { settled: sequence, pending: [] } })
  }

  /** A row of the same or a later batch is not found, and the insert is rejected as a duplicate `_id`. */
  async #put(type: RecordType, pending: PendingRow[]): Promise<void> {
    const writes = pending.map(({ row, isNew }): AnyBulkWriteOperation<Row> => {
      const { _id, ...$set } = row
      if (isNew) {
        return { insertOne: { document: row } }
      }
      const absent = writtenMembers.filter((name) => row[name] === undefined)
      const update = { $set, $unset: Object.fromEntries(absent.map((name) => [name, ''])) } as UpdateFilter<Row>
      return { updateOne: { filter: { _id, version: { $lt: row.version } }, update, upsert: true } }
    })
    try {
      await rowsOf(this.#db, type).bulkWrite(writes, { ordered: false })
    } catch (error) {
      const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
      if (failures.length === 0 || failures.some(({ code }) => code !== duplicateKey)) {
        throw error
      }
    }
  }
}

const logMembers = (row: RowDraft['row'], sequence: number, changedAt: string): Partial<Row> => ({
  sequence,
  changedAt,
  ...(row.contentHash === null ? { unlistedAt: changedAt } : {}),
})
