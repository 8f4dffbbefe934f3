import { randomUUID } from 'node:crypto'
import type { Collection, Db } from 'mongodb'
import type { Fence } from '../../../../ports/locks.js'
import type { StarHistories, StarHistory } from '../../../../ports/star-histories.js'
import { stateKeys } from '../../../../state-keys.js'
import { olderThan, refusedAs } from '../locks/lock.js'
import { QueryTime } from '../query-time.js'
import { type Row, rowsOf } from '../rows.js'
import { MongoStateStore } from './state-store.js'

/** A stored history, under the skill's id. */
interface Kept {
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
export class MongoStarHistories implements StarHistories {
  readonly #histories: Collection<Kept>
  readonly #skills: Collection<Row>
  readonly #state: MongoStateStore

  constructor(db: Db) {
    this.#histories = db.collection('star_histories')
    this.#skills = rowsOf(db, 'skills')
    this.#state = new MongoStateStore(db)
  }

  async readHistories(ids: string[]): Promise<StarHistory[]> {
    const kept = await this.#histories.find({ _id: { $in: ids } }, new QueryTime().limit()).toArray()
    return kept.map(({ _id, days }) => ({ id: _id, days }))
  }

  async writeHistories(histories: Parameters<StarHistories['writeHistories']>[0], fence: Fence): Promise<void> {
    if (histories.length === 0) {
      return
    }
    const { epoch } = fence
    await refusedAs(fence, () =>
      this.#histories.bulkWrite(
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
    const { modifiedCount } = await this.#skills.bulkWrite(
      histories.map(({ id, trend }) => ({
        updateOne: {
          filter: { _id: id },
          update: trend !== null && trend > 0 ? { $set: { trend } } : { $unset: { trend: '' } },
        },
      })),
      { ordered: false },
    )
    if (modifiedCount > 0) {
      await this.#state.writeState(stateKeys.trendsVersion, randomUUID())
    }
  }

  async listTrending(afterId: string | null, limit: number): Promise<string[]> {
    const kept = await this.#histories
      .find({ trending: true, _id: { $gt: afterId ?? '' } }, { sort: { _id: 1 }, limit, projection: { _id: 1 } })
      .toArray()
    return kept.map(({ _id }) => _id)
  }
}
