import type { Collection, Db } from 'mongodb'
import type { DeadLetter, DeadLetters } from '../../../../ports/dead-letters.js'
import type { Fence } from '../../../../ports/locks.js'
import { olderThan, refusedAs } from '../fenced-write.js'

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
}

/** The dead letters in the collection `dead_letters`; see the port. */
export class MongoDeadLetters implements DeadLetters {
  readonly #letters: Collection<Kept>

  constructor(db: Db) {
    this.#letters = db.collection('dead_letters')
  }

  async keepDeadLetters(letters: DeadLetter[], fence: Fence): Promise<void> {
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
}
