import type { Collection, Db } from 'mongodb'
import type { Fence } from '../../../../ports/locks.js'
import type { StateStore } from '../../../../ports/state-store.js'
import { olderThan, refusedAs } from '../locks/lock.js'
import { QueryTime } from '../query-time.js'

/** A document of the state, under its key. */
interface Kept {
  _id: string
  /** Text: a state may have members that MongoDB would read as operators. */
  json: string
  /** Name and epoch of the lock under which it was written; absent: written without one, or by an earlier version. */
  lock?: string
  epoch?: number
}

/** The state in the collection `state`; see the port. */
export class MongoStateStore implements StateStore {
  readonly #state: Collection<Kept>

  constructor(db: Db) {
    this.#state = db.collection('state')
  }

  async readState<T>(key: string): Promise<T | null> {
    const kept = await this.#state.findOne({ _id: key }, new QueryTime().limit())
    return kept === null ? null : (JSON.parse(kept.json) as T)
  }

  async writeState(key: string, value: unknown, fence?: Fence): Promise<void> {
    if (fence === undefined && (value === null || value === undefined)) {
      await this.#state.deleteOne({ _id: key })
      return
    }
    // A document written under a lock is never deleted: its epoch must stay.
    const json = JSON.stringify(value ?? null)
    if (fence === undefined) {
      await this.#state.updateOne({ _id: key }, { $set: { json } }, { upsert: true })
      return
    }
    const { name: lock, epoch } = fence
    // Epochs of two locks cannot be compared.
    const filter = { _id: key, $or: [{ lock: { $ne: lock } }, olderThan(epoch)] }
    await refusedAs(fence, () => this.#state.updateOne(filter, { $set: { json, lock, epoch } }, { upsert: true }))
  }
}
