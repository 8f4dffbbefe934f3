import { type AnyBulkWriteOperation, type Collection, type Document, MongoBulkWriteError } from 'mongodb'
import { duplicateKey } from './connection.js'

/** MongoDB's codes of documents that it does not accept: the collection's validator says no; larger than 16 MB. */
const notAccepted = new Set([121, 10_334, 17_419])

/** The positions of the writes that the database rejected. */
export interface RejectedWrites {
  /** A unique index has the value already. */
  duplicates: number[]
  /** The document is too large, or the collection's validator does not accept it. */
  refused: { place: number; reason: string }[]
}

/** Does all of these writes that the database accepts, in no order. */
export async function writeUnordered(
  collection: Collection,
  writes: AnyBulkWriteOperation<Document>[],
): Promise<RejectedWrites> {
  if (writes.length === 0) {
    return { duplicates: [], refused: [] }
  }
  try {
    await collection.bulkWrite(writes, { ordered: false })
    return { duplicates: [], refused: [] }
  } catch (error) {
    const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
    const duplicates = failures.filter(({ code }) => code === duplicateKey)
    const refused = failures.filter(({ code }) => notAccepted.has(code))
    if (failures.length === 0 || duplicates.length + refused.length < failures.length) {
      throw error
    }
    return {
      duplicates: duplicates.map(({ index }) => index),
      refused: refused.map(({ index, errmsg }) => ({ place: index, reason: errmsg ?? 'it gives no reason' })),
    }
  }
}
