import type { Db, Document } from 'mongodb'
import { inBatches, type Row, rowsOf } from '../rows.js'

/** Entries that are written at a time. */
const atOnce = 1_000

/** An entry of the log in its own collection, as earlier versions kept it. */
interface OldEntry extends Pick<Row, '_id' | 'sequence' | 'contentHash' | 'changedAt'> {
  removedAt?: string
}

/**
 * Continues the change log of the version that kept it in a collection of its own, and each document's metadata in the
 * document: every entry becomes a row, without what is made of its document. The comparison that follows adds that, and
 * changes no sequence where the content is the same. Does nothing a second time.
 */
export async function adoptOldLog(db: Db): Promise<void> {
  const heads = db.collection<Document & { _id: string }>('change_log')
  const head = await heads.findOne({ _id: 'head', version: { $exists: false } })
  if (head === null) {
    return
  }
  const pending: OldEntry[] = head['pending'] ?? []
  await putEntries(db, pending)
  const settled = db.collection<OldEntry>('changes').find({ sequence: { $lte: head['settled'] ?? 0 } })
  for await (const entries of inBatches(settled, atOnce)) {
    await putEntries(db, entries)
  }
  // Readers of the log go on; an index is not built of it before all rows are made.
  const adopted = { version: 0, settled: head['sequence'], pending: [], complete: false }
  await heads.updateOne({ _id: 'head', version: { $exists: false } }, { $set: adopted })
}

async function putEntries(db: Db, entries: OldEntry[]): Promise<void> {
  const writes = entries.map(({ _id, removedAt, sequence, contentHash, changedAt }) => {
    const logged = { sequence, contentHash, changedAt, ...(removedAt === undefined ? {} : { unlistedAt: removedAt }) }
    const row = { state: 'gone', made: '', version: 0, ...logged } as Partial<Row>
    return { updateOne: { filter: { _id }, update: { $setOnInsert: row }, upsert: true } }
  })
  await (writes.length > 0 && rowsOf(db, 'skills').bulkWrite(writes, { ordered: false }))
}
