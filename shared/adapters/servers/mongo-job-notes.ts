import type { Collection, Db } from 'mongodb'
import type { DeadLetter } from '../../ports/catalog-store.js'
import { QueryTime } from './mongo-query-time.js'

/** What the jobs keep in the database: small documents under a name, and dead letters. */
export class JobNotes {
  /** `json` is text: a state may have members that MongoDB would take for operators. */
  readonly #state: Collection<{ _id: string; json: string }>
  readonly #deadLetters: Collection<{ _id: string; reason: string; since: string }>

  constructor(db: Db) {
    this.#state = db.collection('state')
    this.#deadLetters = db.collection('dead_letters')
  }

  async readState<T>(key: string): Promise<T | null> {
    const kept = await this.#state.findOne({ _id: key }, new QueryTime().limit())
    return kept === null ? null : (JSON.parse(kept.json) as T)
  }

  async writeState(key: string, value: unknown): Promise<void> {
    if (value === null || value === undefined) {
      await this.#state.deleteOne({ _id: key })
    } else {
      await this.#state.updateOne({ _id: key }, { $set: { json: JSON.stringify(value) } }, { upsert: true })
    }
  }

  async keepDeadLetters(letters: DeadLetter[]): Promise<void> {
    if (letters.length > 0) {
      await this.#deadLetters.bulkWrite(
        letters.map(({ id, reason, since }) => ({
          updateOne: { filter: { _id: id }, update: { $set: { reason, since } }, upsert: true },
        })),
      )
    }
  }

  async dropDeadLetters(ids: string[]): Promise<void> {
    if (ids.length > 0) {
      await this.#deadLetters.deleteMany({ _id: { $in: ids } })
    }
  }

  async listDeadLetters(afterId: string | null, limit: number): Promise<DeadLetter[]> {
    const letters = await this.#deadLetters.find({ _id: { $gt: afterId ?? '' } }, { sort: { _id: 1 }, limit }).toArray()
    return letters.map(({ _id, reason, since }) => ({ id: _id, reason, since }))
  }
}
