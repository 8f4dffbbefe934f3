import type { Db, Filter, Sort } from 'mongodb'
import type { ChangeLog, LogBounds, LoggedChange } from '../../../../ports/change-log.js'
import { inOneAnswer, jobLimit, jobTime, QueryTime, withTranslatedErrors } from '../connection.js'
import { type Row, rowsOf } from '../rows.js'
import type { Head, RowWriter } from './row-writer.js'

/** The members of a row that are its entry in the log. */
const entry = { contentHash: 1, sequence: 1, changedAt: 1 } as const

/**
 * The change log in MongoDB: the rows of `catalog_skills` with a sequence. Its head, in `change_log`, says up to where all
 * of them are written.
 *
 * @param writer writes it
 */
export function changeLogIn(db: Db, writer: RowWriter): ChangeLog {
  const rows = rowsOf(db, 'skills')
  const heads = db.collection<Head>('change_log')

  /** Entries of the log, which rows of skills are that were ever published. */
  async function read(filter: Filter<Row>, limit: number, time: QueryTime, sort: Sort = {}): Promise<LoggedChange[]> {
    const options = { sort, projection: entry, ...inOneAnswer(limit), ...time.limit() }
    const found = await rows.find({ ...filter, contentHash: { $exists: true } }, options).toArray()
    return found.map(({ _id, sequence = 0, contentHash = null, changedAt = '' }) => ({
      id: _id,
      sequence,
      contentHash,
      changedAt,
    }))
  }

  async function readBounds(time: QueryTime): Promise<LogBounds> {
    // Without the batch, which may be large.
    const projection = { settled: 1, horizon: 1, complete: 1, catalog: 1 }
    const head = await heads.findOne({ _id: 'head' }, { projection, ...time.limit() })
    return {
      head: head?.settled ?? 0,
      horizon: head?.horizon ?? 0,
      complete: head?.complete ?? false,
      catalog: head?.catalog ?? null,
    }
  }

  return withTranslatedErrors<ChangeLog>({
    bounds: () => readBounds(new QueryTime()),
    entriesOf: (ids) => read({ _id: { $in: ids } }, ids.length, new QueryTime()),

    async logged(ids) {
      await writer.head()
      return read({ _id: { $in: ids } }, ids.length, jobTime())
    },

    async after(sequence, limit) {
      const time = new QueryTime()
      const { head, complete } = await readBounds(time)
      const after = { sequence: { $gt: sequence, $lte: head } }
      const changes = sequence >= head ? [] : await read(after, limit, time, { sequence: 1 })
      // Read after the rows, so that it includes removals that were dropped before.
      const { horizon, catalog } = await readBounds(time)
      return { changes, head, horizon, complete, catalog }
    },

    async latest(limit) {
      const time = new QueryTime()
      const { head } = await readBounds(time)
      return read({ sequence: { $lte: head } }, limit, time, { sequence: -1 })
    },

    async listPublished(afterId, limit) {
      await writer.head()
      const filter: Filter<Row> = { _id: { $gt: afterId ?? '' }, contentHash: { $gt: '' } }
      const found = await rows.find(filter, { sort: { _id: 1 }, limit, projection: entry }).toArray()
      return found.map(({ _id, contentHash }) => ({ id: _id, contentHash: String(contentHash) }))
    },

    countPublished: () => rows.countDocuments({ state: 'published' }, jobLimit),

    async prune(before) {
      const { head } = await writer.head()
      const old: Filter<Row> = { unlistedAt: { $lt: before.toISOString() } }
      const last = await rows.findOne({ ...old, sequence: { $lte: head } }, { sort: { sequence: -1 } })
      // The horizon first: a reader must never miss a dropped removal unnoticed.
      const horizon = last?.sequence ?? 0
      await heads.updateOne({ _id: 'head' }, { $max: { horizon } })
      const upTo: Filter<Row> = { ...old, $or: [{ sequence: { $lte: horizon } }, { sequence: { $exists: false } }] }
      const { deletedCount } = await rows.deleteMany({ ...upTo, state: 'gone' })
      // Rows whose documents are there stay, as if they had never been published.
      const forgotten = { contentHash: '', sequence: '', changedAt: '', unlistedAt: '' } as const
      const { modifiedCount } = await rows.updateMany(upTo, { $unset: forgotten })
      return deletedCount + modifiedCount
    },
  })
}
