import type { Collection, Db, Filter } from 'mongodb'
import type { DeadLetter, DeadLetters } from '../../../../ports/dead-letters.js'
import type { Fence } from '../../../../ports/locks.js'
import { olderThan, refusedAs } from '../locks/lock.js'

/** A stored dead letter, under the skill's id. */
interface Kept {
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

/** The dead letters in the collection `dead_letters`; see the port. */
export class MongoDeadLetters implements DeadLetters {
  readonly #letters: Collection<Kept>

  constructor(db: Db) {
    this.#letters = db.collection('dead_letters')
  }

  async keepDeadLetters(letters: DocumentLetter[], fence: Fence): Promise<void> {
    if (letters.length === 0) {
      return
    }
    const { name: lock, epoch } = fence
    await refusedAs(fence, () =>
      this.#letters.bulkWrite(
        letters.map(({ id, since, ...letter }) => ({
          updateOne: {
            filter: { _id: id, $or: [{ lock: { $ne: lock } }, olderThan(epoch)] },
            update: { $set: { ...letter, lock, epoch }, $setOnInsert: { since } },
            upsert: true,
          },
        })),
      ),
    )
  }

  async dropDeadLetters(ids: string[], source: DeadLetter['source'], { name, epoch }: Fence): Promise<void> {
    if (ids.length > 0) {
      await this.#letters.deleteMany({
        _id: { $in: ids },
        $and: [
          { $or: [{ source }, { source: { $exists: false } }] },
          { $or: [{ lock: { $ne: name } }, olderThan(epoch)] },
        ],
      })
    }
  }

  async listDeadLetters(afterId: string | null, limit: number): Promise<DeadLetter[]> {
    const letters = await this.#letters.find({ _id: { $gt: afterId ?? '' } }, { sort: { _id: 1 }, limit }).toArray()
    return letters.map(({ _id, reason, since, source = 'document' }) => ({ id: _id, reason, since, source }))
  }

  /** Drops the letters of documents that cannot be read by their `_id`: a comparison finds those that are left. */
  async dropUnreadable({ name, epoch }: Fence): Promise<void> {
    const isOlder = { $or: [{ lock: { $ne: name } }, olderThan(epoch)] }
    await this.#letters.deleteMany({ document: { $type: 'null' }, ...isOlder })
  }

  /** The letters of documents with these ids, or about these documents. @param sources their `_id`s */
  async ofDocuments(ids: string[], sources: unknown[]): Promise<DocumentLetter[]> {
    return this.#find({ $or: [{ _id: { $in: ids } }, { document: { $in: sources } }] })
  }

  /** The letters of documents that wait for one of these ids, which another document had. @param mark after the id */
  async waitingFor(ids: string[], mark: string): Promise<DocumentLetter[]> {
    const found: DocumentLetter[] = []
    for (const id of ids) {
      found.push(...(await this.#find({ _id: { $gt: `${id}${mark}`, $lt: `${id}${mark}\u{10ffff}` } }, 1)))
    }
    return found
  }

  async #find(filter: Filter<Kept>, limit = 0): Promise<DocumentLetter[]> {
    const kept = await this.#letters.find({ $and: [filter, { source: { $ne: 'index' } }] }, { limit }).toArray()
    return kept.map(({ _id, reason, since, document }) => ({ id: _id, reason, since, source: 'document', document }))
  }
}
