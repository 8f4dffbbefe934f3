import { type AnyBulkWriteOperation, type Collection, type Document, MongoBulkWriteError } from 'mongodb'
import { duplicateKey } from './connection.js'

/**
 * Does all of these writes that the database accepts, in no order.
 *
 * @returns the positions of those that a unique index rejected
 */
export async function writeUnordered(
  collection: Collection,
  writes: AnyBulkWriteOperation<Document>[],
): Promise<number[]> {
  if (writes.length === 0) {
    return []
  }
  try {
    await collection.bulkWrite(writes, { ordered: false })
    return []
  } catch (error) {
    const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
    if (failures.length === 0 || failures.some((failure) => failure.code !== duplicateKey)) {
      throw error
    }
    return failures.map((failure) => failure.index)
  }
}
