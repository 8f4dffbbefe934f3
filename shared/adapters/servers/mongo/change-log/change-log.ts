import { randomUUID } from 'node:crypto'
import { type AnyBulkWriteOperation, type Collection, type Db, MongoBulkWriteError } from 'mongodb'
import {
  type ChangeLog,
  type ChangePage,
  type LogBounds,
  type LoggedChange,
  nextSequence,
  sequenceStep,
} from '../../../../ports/change-log.js'
import { lockLost } from '../../../../runtime/errors.js'
import { duplicateKey, isDuplicateKey, translated } from '../connection.js'
import { olderThan } from '../fenced-write.js'
import { inOneAnswer, jobLimit, QueryTime } from '../query-time.js'

/** A change to log. */
export type ChangeDraft = Pick<LoggedChange, 'id' | 'contentHash'>

/** The changes that a writer appends in one step. */
export interface ChangeBatch {
  /** The head that the writer read before it derived the changes: see `append`. */
  onto: number
  /** Each id at most once, in order. */
  changes: ChangeDraft[]
  /** Whether the log with this batch holds all published skills. Once complete, it stays complete. */
  complete: boolean
  /** The time of writing. */
  at: Date
  /** Of the lock that all writers hold. */
  epoch: number
}

/** A stored entry, under the skill's id. */
interface Entry {
  _id: string
  sequence: number
  contentHash: string | null
  changedAt: string
  /** The same time, of removals only, for a small index. */
  removedAt?: string
}

/** The state of the log: the one document of its collection. */
interface Head {
  _id: 'head'
  /** The last assigned sequence. */
  sequence: number
  /** The last sequence up to which all entries are in `changes`: the head for readers. */
  settled: number
  horizon: number
  complete: boolean
  /** See `LogBounds`; absent in logs of earlier versions. */
  catalog?: string
  /** Of the lock of the last writer; absent in logs of earlier versions. */
  epoch?: number
  /** The batch between the two, which is being written to `changes`. */
  pending: Entry[]
}

/**
 * The change log in MongoDB: the entries in `changes`, its head in `change_log`.
 *
 * To be atomic without transactions, a batch is first written into the head document. That write succeeds only on the
 * head that the writer has read, so that one of two writers is rejected, even after a long pause. Then the entries are
 * written to `changes`, by the next caller if this writer stops, and only then shown to readers.
 */
export class MongoChangeLog implements ChangeLog {
  readonly #entries: Collection<Entry>
  readonly #heads: Collection<Head>

  constructor(db: Db) {
    this.#entries = db.collection('changes')
    this.#heads = db.collection('change_log')
  }

  bounds(): Promise<LogBounds> {
    return translated(() => this.#bounds(new QueryTime()))
  }

  /** The head for a writer, without a pending batch. */
  writerHead(): Promise<Pick<LogBounds, 'head' | 'complete'>> {
    return translated(async () => {
      const { sequence, complete } = await this.#settledHead()
      return { head: sequence, complete }
    })
  }

  /**
   * Logs a batch: all of it, or nothing. An empty one only rejects the later batches of earlier holders of the lock.
   *
   * @returns the new head
   * @throws AppError `lock_lost` (409) when the head is no longer `onto`: another writer has logged changes that this
   * one has not read; or when a later holder of the lock has appended
   */
  append({ onto, changes, complete, at, epoch }: ChangeBatch): Promise<number> {
    return translated(async () => {
      const first = nextSequence(onto, at)
      const changedAt = at.toISOString()
      const pending = changes.map(({ id, contentHash }, place): Entry => {
        const entry = { _id: id, sequence: first + place * sequenceStep, contentHash, changedAt }
        return contentHash === null ? { ...entry, removedAt: changedAt } : entry
      })
      const sequence = pending.at(-1)?.sequence ?? onto
      await this.#claim(onto, {
        sequence,
        epoch,
        pending,
        // No reader can continue from before the first change.
        ...(onto === 0 && sequence > 0 ? { horizon: first - sequenceStep } : {}),
        ...(complete ? { complete } : {}),
      })
      await this.#settle(sequence, pending)
      return sequence
    })
  }

  entriesOf(ids: string[]): Promise<LoggedChange[]> {
    return translated(async () => {
      const options = { ...inOneAnswer(ids.length), ...new QueryTime().limit() }
      return (await this.#entries.find({ _id: { $in: ids } }, options).toArray()).map(toChange)
    })
  }

  logged(ids: string[]): Promise<LoggedChange[]> {
    return translated(async () => {
      await this.#settledHead()
      return this.loggedBefore(ids)
    })
  }

  /** As `logged`, for a writer that has read `writerHead` before: only later batches may be read in part. */
  loggedBefore(ids: string[]): Promise<LoggedChange[]> {
    return translated(async () => {
      const found = this.#entries.find({ _id: { $in: ids } }, inOneAnswer(ids.length))
      return (await found.toArray()).map(toChange)
    })
  }

  after(sequence: number, limit: number): Promise<ChangePage> {
    return translated(async () => {
      const time = new QueryTime()
      const { head, complete } = await this.#bounds(time)
      const entries =
        sequence >= head
          ? []
          : await this.#entries
              .find(
                { sequence: { $gt: sequence, $lte: head } },
                { sort: { sequence: 1 }, ...inOneAnswer(limit), ...time.limit() },
              )
              .toArray()
      // Read after the entries, so that it includes removals that were dropped before.
      const { horizon, catalog } = await this.#bounds(time)
      return { changes: entries.map(toChange), head, horizon, complete, catalog }
    })
  }

  latest(limit: number): Promise<LoggedChange[]> {
    return translated(async () => {
      const time = new QueryTime()
      const { head } = await this.#bounds(time)
      const entries = await this.#entries
        .find({ sequence: { $lte: head } }, { sort: { sequence: -1 }, ...inOneAnswer(limit), ...time.limit() })
        .toArray()
      return entries.map(toChange)
    })
  }

  listPublished(afterId: string | null, limit: number): Promise<{ id: string; contentHash: string }[]> {
    return translated(async () => {
      await this.#settledHead()
      const entries = await this.#entries
        .find({ _id: { $gt: afterId ?? '' }, contentHash: { $ne: null } }, { sort: { _id: 1 }, limit })
        .toArray()
      return entries.map(({ _id, contentHash }) => ({ id: _id, contentHash: String(contentHash) }))
    })
  }

  countPublished(): Promise<number> {
    return translated(async () => {
      const [all, removals] = await Promise.all([
        this.#entries.countDocuments({ _id: { $gt: '' } }, jobLimit),
        this.#entries.countDocuments({ removedAt: { $gte: '' } }, jobLimit),
      ])
      return all - removals
    })
  }

  prune(before: Date): Promise<number> {
    return translated(async () => {
      const { sequence } = await this.#settledHead()
      const old = { removedAt: { $lt: before.toISOString() }, sequence: { $lte: sequence } }
      const last = await this.#entries.findOne(old, { sort: { sequence: -1 } })
      if (last === null) {
        return 0
      }
      const horizon = last.sequence
      // The horizon first: a reader must never miss a dropped removal unnoticed.
      await this.#heads.updateOne({ _id: 'head' }, { $max: { horizon } })
      const { deletedCount } = await this.#entries.deleteMany({ ...old, sequence: { $lte: horizon } })
      return deletedCount
    })
  }

  async #bounds(time: QueryTime): Promise<LogBounds> {
    // Without the batch, which may be large.
    const projection = { settled: 1, horizon: 1, complete: 1, catalog: 1 }
    const head = await this.#heads.findOne({ _id: 'head' }, { projection, ...time.limit() })
    return {
      head: head?.settled ?? 0,
      horizon: head?.horizon ?? 0,
      complete: head?.complete ?? false,
      catalog: head?.catalog ?? null,
    }
  }

  /** The head, after all entries up to it have been written to `changes`. */
  async #settledHead(): Promise<Omit<Head, '_id' | 'pending' | 'settled'>> {
    const head = await this.#heads.findOne({ _id: 'head' })
    if (head === null) {
      return { sequence: 0, horizon: 0, complete: false }
    }
    if (head.catalog === undefined) {
      await this.#heads.updateOne({ _id: 'head', catalog: { $exists: false } }, { $set: { catalog: randomUUID() } })
    }
    if (head.settled !== head.sequence) {
      await this.#settle(head.sequence, head.pending)
    }
    return head
  }

  /**
   * Moves the head, if it has not moved since the writer read it, without a batch being written, and no later holder of
   * the lock has written it.
   */
  async #claim(
    onto: number,
    next: Pick<Head, 'sequence' | 'pending'> & Partial<Head> & { epoch: number },
  ): Promise<void> {
    const { matchedCount } = await this.#heads.updateOne(
      { _id: 'head', sequence: onto, settled: onto, ...olderThan(next.epoch) },
      { $set: next },
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
        _id: 'head',
      })
    } catch (error) {
      throw isDuplicateKey(error) ? lockLost('change log') : error
    }
  }

  /** Writes a batch to `changes` and shows it to readers. Idempotent, also when late. */
  async #settle(sequence: number, pending: Entry[]): Promise<void> {
    if (pending.length > 0) {
      await this.#put(pending)
    }
    await this.#heads.updateOne({ _id: 'head', sequence }, { $set: { settled: sequence, pending: [] } })
  }

  async #put(entries: Entry[]): Promise<void> {
    const writes = entries.map(({ _id, removedAt, ...members }): AnyBulkWriteOperation<Entry> => {
      const marked = removedAt === undefined ? { $unset: { removedAt: '' as const } } : {}
      const set = removedAt === undefined ? members : { ...members, removedAt }
      // An entry of the same or a higher sequence is not found, and the insert is rejected as a duplicate `_id`.
      const filter = { _id, sequence: { $lt: members.sequence } }
      return { updateOne: { filter, update: { $set: set, ...marked }, upsert: true } }
    })
    try {
      await this.#entries.bulkWrite(writes, { ordered: false })
    } catch (error) {
      const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
      if (failures.length === 0 || failures.some(({ code }) => code !== duplicateKey)) {
        throw error
      }
    }
  }
}

const toChange = ({ _id, sequence, contentHash, changedAt }: Entry): LoggedChange => ({
  id: _id,
  sequence,
  contentHash,
  changedAt,
})
