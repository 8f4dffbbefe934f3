import { type AnyBulkWriteOperation, type Collection, type Db, MongoBulkWriteError } from 'mongodb'
import { lockLost } from '../../errors.js'
import {
  type ChangeBatch,
  type ChangeDraft,
  type ChangeLog,
  type ChangePage,
  type LogPosition,
  nextSequence,
  sequenceStep,
} from '../../ports/change-log.js'
import { duplicateKey, isDuplicateKey, translated } from './mongo-connection.js'
import { QueryTime } from './mongo-query-time.js'

/** An entry as it is kept, under the skill's id. */
interface Entry {
  _id: string
  sequence: number
  contentHash: string | null
  changedAt: string
  /** The same time, of removals only: an index of these alone is small. */
  removedAt?: string
}

/** Where the log stands: the one document of its collection. */
interface Head {
  _id: 'head'
  /** The last sequence that was given away. */
  sequence: number
  /** The last sequence up to which every entry is in its place: what readers see. */
  settled: number
  horizon: number
  watermark: string | null
  complete: boolean
  /** The batch between the two, which is on its way to its place. */
  pending: Entry[]
}

/**
 * The change log in MongoDB: the entries in `changes`, its head in `change_log`.
 *
 * Without transactions a batch is kept whole by being a part of the head first. That one write succeeds only on the
 * head that the writer knows, so that of two writers one is refused, however long it stood still. Then the entries are
 * put into their places, by whoever comes next if this one does not come to it, and only then shown to readers.
 */
export class MongoChangeLog implements ChangeLog {
  readonly #entries: Collection<Entry>
  readonly #heads: Collection<Head>

  constructor(db: Db) {
    this.#entries = db.collection('changes')
    this.#heads = db.collection('change_log')
  }

  position(): Promise<LogPosition> {
    return translated(async () => {
      const { sequence, watermark, complete } = await this.#settledHead()
      return { head: sequence, watermark, complete }
    })
  }

  append({ onto, changes, watermark, complete, at }: ChangeBatch): Promise<number> {
    return translated(async () => {
      const before = await this.#settledHead()
      if (before.sequence !== onto) {
        throw lockLost('change log')
      }
      const first = nextSequence(onto, at)
      const changedAt = at.toISOString()
      const pending = changes.map(({ id, contentHash }, place): Entry => {
        const entry = { _id: id, sequence: first + place * sequenceStep, contentHash, changedAt }
        return contentHash === null ? { ...entry, removedAt: changedAt } : entry
      })
      const sequence = pending.at(-1)?.sequence ?? onto
      // Of what was logged before the first change there is nothing to continue.
      const horizon = onto === 0 && sequence > 0 ? first - sequenceStep : before.horizon
      await this.#claim(onto, { sequence, horizon, watermark, complete: before.complete || complete, pending })
      await this.#settle(sequence, pending)
      return sequence
    })
  }

  logged(ids: string[]): Promise<ChangeDraft[]> {
    return translated(async () => {
      await this.#settledHead()
      const entries = await this.#entries.find({ _id: { $in: ids } }).toArray()
      return entries.map(({ _id, contentHash }) => ({ id: _id, contentHash }))
    })
  }

  after(sequence: number, limit: number): Promise<ChangePage> {
    return translated(async () => {
      const time = new QueryTime()
      const { settled: head = 0, complete = false } = (await this.#readHead(time)) ?? {}
      const entries = await this.#entries
        .find({ sequence: { $gt: sequence, $lte: head } }, { sort: { sequence: 1 }, limit, ...time.limit() })
        .toArray()
      // Read behind the entries: a removal that was dropped before they were read shows here.
      const horizon = (await this.#readHead(time))?.horizon ?? 0
      const changes = entries.map(({ _id, sequence: place, contentHash, changedAt }) => ({
        sequence: place,
        id: _id,
        contentHash,
        changedAt,
      }))
      return { changes, head, horizon, complete }
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

  prune(before: Date): Promise<number> {
    return translated(async () => {
      const { sequence } = await this.#settledHead()
      const old = { removedAt: { $lt: before.toISOString() }, sequence: { $lte: sequence } }
      const last = await this.#entries.findOne(old, { sort: { sequence: -1 } })
      if (last === null) {
        return 0
      }
      const horizon = last.sequence
      // First told, then done: a reader must never take a gap for the whole.
      await this.#heads.updateOne({ _id: 'head' }, { $max: { horizon } })
      const { deletedCount } = await this.#entries.deleteMany({ ...old, sequence: { $lte: horizon } })
      return deletedCount
    })
  }

  /** The head without its batch and watermark, which readers have no use for; null: nothing was ever logged. */
  #readHead(time: QueryTime): Promise<Pick<Head, 'settled' | 'horizon' | 'complete'> | null> {
    const projection = { settled: 1, horizon: 1, complete: 1 }
    return this.#heads.findOne({ _id: 'head' }, { projection, ...time.limit() })
  }

  /** The head behind which nothing is on its way any more. */
  async #settledHead(): Promise<Omit<Head, '_id' | 'pending' | 'settled'>> {
    const head = await this.#heads.findOne({ _id: 'head' })
    if (head === null) {
      return { sequence: 0, horizon: 0, watermark: null, complete: false }
    }
    if (head.settled !== head.sequence) {
      await this.#settle(head.sequence, head.pending)
    }
    return head
  }

  /** Moves the head, if it is where the writer believes it to be. */
  async #claim(onto: number, next: Omit<Head, '_id' | 'settled'>): Promise<void> {
    const { matchedCount } = await this.#heads.updateOne({ _id: 'head', sequence: onto }, { $set: next })
    if (matchedCount > 0) {
      return
    }
    if (onto !== 0) {
      throw lockLost('change log')
    }
    try {
      await this.#heads.insertOne({ _id: 'head', settled: 0, ...next })
    } catch (error) {
      throw isDuplicateKey(error) ? lockLost('change log') : error
    }
  }

  /** Puts a batch into its place and shows it. Doing so twice, or late, changes nothing. */
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
      // An entry that is as new or newer is not found, and to insert it again is refused: its `_id` is there.
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
