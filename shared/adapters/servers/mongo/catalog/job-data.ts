import type { Db, Filter } from 'mongodb'
import type { StarHistories, StarHistory, StateStore } from '../../../../ports/catalog.js'
import type { DeadLetter } from '../../../../ports/document-ingest.js'
import type { Lock } from '../../../../ports/locks.js'
import { type RecordType, readLetterId } from '../../../../records/records.js'
import { QueryTime } from '../connection.js'
import { notLaterThan, olderThan, refusedAs } from '../locks/lock.js'
import { rowsOf } from '../rows.js'

/** A document of the state, under its key. */
interface StoredState {
  _id: string
  /** Text: a state may have members that MongoDB would read as operators. */
  json: string
  /** Name and epoch of the lock under which it was written; absent: written without one, or by an earlier version. */
  lock?: string
  epoch?: number
}

/** The state in the collection `state`; see the port. */
export function stateStore(db: Db): StateStore {
  const state = db.collection<StoredState>('state')
  return {
    async readState<T>(key: string): Promise<T | null> {
      const kept = await state.findOne({ _id: key }, new QueryTime().limit())
      return kept === null ? null : (JSON.parse(kept.json) as T)
    },

    async writeState(key, value, lock) {
      if (lock === undefined && (value === null || value === undefined)) {
        await state.deleteOne({ _id: key })
        return
      }
      // A document written under a lock is never deleted: its epoch must stay.
      const json = JSON.stringify(value ?? null)
      if (lock === undefined) {
        await state.updateOne({ _id: key }, { $set: { json } }, { upsert: true })
        return
      }
      const { name, epoch } = lock
      const filter = { _id: key, ...notLaterThan(lock) }
      await refusedAs(lock, () => state.updateOne(filter, { $set: { json, lock: name, epoch } }, { upsert: true }))
    },
  }
}

/** A stored dead letter, under the skill's id. */
interface StoredLetter {
  _id: string
  reason: string
  since: string
  /** Absent, like the next two, in dead letters of earlier versions. */
  source?: DeadLetter['source']
  /** Name and epoch of the lock under which it was written. */
  lock?: string
  epoch?: number
  /** The `_id` of the document that cannot be published; null: it cannot be read by it. */
  document?: unknown
}

/** A dead letter, and the document that it is about. */
export interface DocumentLetter extends DeadLetter {
  document?: unknown
}

export type MongoDeadLetters = ReturnType<typeof deadLetters>

/** The dead letters in the collection `dead_letters`: those of the port, and what the ingest asks for. */
export function deadLetters(db: Db) {
  const stored = db.collection<StoredLetter>('dead_letters')
  return {
    async keepDeadLetters(letters: DocumentLetter[], lock: Lock): Promise<void> {
      if (letters.length === 0) {
        return
      }
      const { name, epoch } = lock
      await refusedAs(lock, () =>
        stored.bulkWrite(
          letters.map(({ id, since, ...letter }) => ({
            updateOne: {
              filter: { _id: id, ...notLaterThan(lock) },
              update: { $set: { ...letter, lock: name, epoch }, $setOnInsert: { since } },
              upsert: true,
            },
          })),
        ),
      )
    },

    async dropDeadLetters(ids: string[], source: DeadLetter['source'], lock: Lock): Promise<void> {
      if (ids.length > 0) {
        const isOfSource = { $or: [{ source }, { source: { $exists: false } }] }
        await stored.deleteMany({ _id: { $in: ids }, $and: [isOfSource, notLaterThan(lock)] })
      }
    },

    async listDeadLetters(afterId: string | null, limit: number): Promise<DeadLetter[]> {
      const letters = await stored.find({ _id: { $gt: afterId ?? '' } }, { sort: { _id: 1 }, limit }).toArray()
      return letters.map(({ _id, reason, since, source = 'document' }) => ({ id: _id, reason, since, source }))
    },

    /** Drops the letters of documents that cannot be read by their `_id`: a comparison finds those that are left. */
    async dropUnreadable(lock: Lock): Promise<void> {
      await stored.deleteMany({ document: { $type: 'null' }, ...notLaterThan(lock) })
    },

    /** The `_id`s of the documents of this type that have a letter. */
    async *documentsOf(type: RecordType): AsyncGenerator<unknown> {
      const filter: Filter<StoredLetter> = { document: { $exists: true, $ne: null }, source: { $ne: 'index' } }
      for await (const { _id, document } of stored.find(filter, { projection: { document: 1 } })) {
        if (readLetterId(_id).type === type) {
          yield document
        }
      }
    },

    /** The letters of documents with these ids, or about these documents. @param sources their `_id`s */
    async ofDocuments(ids: string[], sources: unknown[]): Promise<DocumentLetter[]> {
      return find({ $or: [{ _id: { $in: ids } }, { document: { $in: sources } }] })
    },

    /** The letters of documents that wait for one of these ids, which another document had. @param mark after the id */
    async waitingFor(ids: string[], mark: string): Promise<DocumentLetter[]> {
      const found: DocumentLetter[] = []
      for (const id of ids) {
        found.push(...(await find({ _id: { $gt: `${id}${mark}`, $lt: `${id}${mark}\u{10ffff}` } }, 1)))
      }
      return found
    },
  }

  async function find(filter: Filter<StoredLetter>, limit = 0): Promise<DocumentLetter[]> {
    const kept = await stored.find({ $and: [filter, { source: { $ne: 'index' } }] }, { limit }).toArray()
    return kept.map(({ _id, reason, since, document }) => ({ id: _id, reason, since, source: 'document', document }))
  }
}

/** A stored history, under the skill's id. */
interface StoredHistory {
  _id: string
  days: StarHistory['days']
  /** Whether the skill has a trend, also with 0. */
  trending: boolean
  /** The epoch of the lock under which it was written. */
  epoch: number
}

/**
 * The histories in the collection `star_histories`, and the trends above 0 in the rows of the skills; see the port.
 */
export function starHistories(db: Db): StarHistories {
  const stored = db.collection<StoredHistory>('star_histories')
  const skills = rowsOf(db, 'skills')
  return {
    async readHistories(ids) {
      const kept = await stored.find({ _id: { $in: ids } }, new QueryTime().limit()).toArray()
      return kept.map(({ _id, days }) => ({ id: _id, days }))
    },

    async writeHistories(histories, lock) {
      if (histories.length === 0) {
        return
      }
      const { epoch } = lock
      await refusedAs(lock, () =>
        stored.bulkWrite(
          histories.map(({ id, days, trend }) => ({
            updateOne: {
              filter: { _id: id, ...olderThan(epoch) },
              update: { $set: { days, trending: trend !== null, epoch } },
              upsert: true,
            },
          })),
        ),
      )
      // Skills that are hidden meanwhile as well: they would be published again with the trend of an earlier day.
      await skills.bulkWrite(
        histories.map(({ id, trend }) => ({
          updateOne: {
            filter: { _id: id },
            update: trend !== null && trend > 0 ? { $set: { trend } } : { $unset: { trend: '' } },
          },
        })),
        { ordered: false },
      )
    },

    async listTrending(afterId, limit) {
      const kept = await stored
        .find({ trending: true, _id: { $gt: afterId ?? '' } }, { sort: { _id: 1 }, limit, projection: { _id: 1 } })
        .toArray()
      return kept.map(({ _id }) => _id)
    },
  }
}
