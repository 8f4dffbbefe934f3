import type { Collection, Db, Filter, Sort } from 'mongodb'
import type { ChangeLog, ChangePage, LogBounds, LoggedChange } from '../../../../ports/change-log.js'
import { inOneAnswer, jobLimit, jobTime, QueryTime, translated } from '../connection.js'
import { type Row, rowsOf } from '../rows.js'
import { type Head, RowWriter } from './row-writer.js'

/**
 * The change log in MongoDB: the rows of `catalog_skills` with a sequence. Its head, in `change_log`, says up to where all
 * of them are written.
 */
export class MongoChangeLog implements ChangeLog {
  /** Writes it. */
  readonly writer: RowWriter
  readonly #rows: Collection<Row>
  readonly #heads: Collection<Head>

  constructor(db: Db) {
    this.writer = new RowWriter(db)
    this.#rows = rowsOf(db, 'skills')
    this.#heads = db.collection('change_log')
  }

  bounds(): Promise<LogBounds> {
    return translated(() => this.#bounds(new QueryTime()))
  }

  entriesOf(ids: string[]): Promise<LoggedChange[]> {
    return translated(() => this.#read({ _id: { $in: ids } }, ids.length, new QueryTime()))
  }

  logged(ids: string[]): Promise<LoggedChange[]> {
    return translated(async () => {
      await this.writer.head()
      return this.#read({ _id: { $in: ids } }, ids.length, jobTime())
    })
  }

  after(sequence: number, limit: number): Promise<ChangePage> {
    return translated(async () => {
      const time = new QueryTime()
      const { head, complete } = await this.#bounds(time)
      const after = { sequence: { $gt: sequence, $lte: head } }
      const changes = sequence >= head ? [] : await this.#read(after, limit, time, { sequence: 1 })
      // Read after the rows, so that it includes removals that were dropped before.
      const { horizon, catalog } = await this.#bounds(time)
      return { changes, head, horizon, complete, catalog }
    })
  }

  latest(limit: number): Promise<LoggedChange[]> {
    return translated(async () => {
      const time = new QueryTime()
      const { head } = await this.#bounds(time)
      return this.#read({ sequence: { $lte: head } }, limit, time, { sequence: -1 })
    })
  }

  listPublished(afterId: string | null, limit: number): Promise<{ id: string; contentHash: string }[]> {
    return translated(async () => {
      await this.writer.head()
      const filter: Filter<Row> = { _id: { $gt: afterId ?? '' }, contentHash: { $gt: '' } }
      const rows = await this.#rows.find(filter, { sort: { _id: 1 }, limit, projection: entry }).toArray()
      return rows.map(({ _id, contentHash }) => ({ id: _id, contentHash: String(contentHash) }))
    })
  }

  countPublished(): Promise<number> {
    return translated(() => this.#rows.countDocuments({ state: 'published' }, jobLimit))
  }

  prune(before: Date): Promise<number> {
    return translated(async () => {
      const { head } = await this.writer.head()
      const old: Filter<Row> = { unlistedAt: { $lt: before.toISOString() } }
      const last = await this.#rows.findOne({ ...old, sequence: { $lte: head } }, { sort: { sequence: -1 } })
      // The horizon first: a reader must never miss a dropped removal unnoticed.
      const horizon = last?.sequence ?? 0
      await this.#heads.updateOne({ _id: 'head' }, { $max: { horizon } })
      const upTo: Filter<Row> = { ...old, $or: [{ sequence: { $lte: horizon } }, { sequence: { $exists: false } }] }
      const { deletedCount } = await this.#rows.deleteMany({ ...upTo, state: 'gone' })
      // Rows whose documents are there stay, as if they had never been published.
      const forgotten = { contentHash: '', sequence: '', changedAt: '', unlistedAt: '' } as const
      const { modifiedCount } = await this.#rows.updateMany(upTo, { $unset: forgotten })
      return deletedCount + modifiedCount
    })
  }

  /** Entries of the log, which rows of skills are that were ever published. */
  async #read(filter: Filter<Row>, limit: number, time: QueryTime, sort: Sort = {}): Promise<LoggedChange[]> {
    const options = { sort, projection: entry, ...inOneAnswer(limit), ...time.limit() }
    const rows = await this.#rows.find({ ...filter, contentHash: { $exists: true } }, options).toArray()
    return rows.map(({ _id, sequence = 0, contentHash = null, changedAt = '' }) => ({
      id: _id,
      sequence,
      contentHash,
      changedAt,
    }))
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
}

/** The members of a row that are its entry in the log. */
const entry = { contentHash: 1, sequence: 1, changedAt: 1 } as const
