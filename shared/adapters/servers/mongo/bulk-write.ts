import {
  type AnyBulkWriteOperation,
  type Collection,
  type Document,
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
} from 'mongodb'
import { inText } from '../../../text/in-text.js'
import { duplicateKey } from './connection.js'

/**
 * MongoDB's codes of rejected writes whose cause is the server and not the document: no space is left, a time limit, a
 * write of another client at the same time, an operation that was ended, a server that changes its role.
 *
 * @see https://www.mongodb.com/docs/manual/reference/error-codes/
 */
const serverFaults = new Set([
  14_031, 50, 262, 112, 24, 43, 91, 133, 175, 189, 237, 10_107, 11_600, 11_601, 11_602, 13_388, 13_435, 13_436,
])

/**
 * MongoDB's codes of whole commands that it rejects for the content of one of their writes: a value or a name that it
 * does not accept, too many levels, more than 16 MB.
 */
const contentFaults = new Set([2, 9, 14, 15, 22, 28, 52, 55, 56, 57, 121, 10_334, 17_419, 17_420])

/** The positions of the writes that were rejected, and how many documents the others found and changed. */
export interface RejectedWrites {
  matched: number
  modified: number
  /** A unique index has the value already. */
  duplicates: number[]
  /** The database does not accept the document, or the driver cannot write it. */
  refused: { place: number; reason: string }[]
}

/**
 * Does all of these writes that the database accepts, in no order. A write that cannot be done for what it holds is
 * reported, and stops no other one.
 */
export async function writeUnordered(
  collection: Collection,
  writes: AnyBulkWriteOperation<Document>[],
): Promise<RejectedWrites> {
  if (writes.length === 0) {
    return { matched: 0, modified: 0, duplicates: [], refused: [] }
  }
  try {
    const { matchedCount, modifiedCount } = await collection.bulkWrite(writes, { ordered: false })
    return { matched: matchedCount, modified: modifiedCount, duplicates: [], refused: [] }
  } catch (error) {
    const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
    if (failures.some(({ code }) => serverFaults.has(code)) || (failures.length === 0 && !isOfContent(error))) {
      throw error
    }
    if (failures.length === 0) {
      return writeApart(collection, writes, error)
    }
    const refused = failures.filter(({ code }) => code !== duplicateKey)
    return {
      matched: error instanceof MongoBulkWriteError ? error.result.matchedCount : 0,
      modified: error instanceof MongoBulkWriteError ? error.result.modifiedCount : 0,
      duplicates: failures.filter(({ code }) => code === duplicateKey).map(({ index }) => index),
      refused: refused.map(({ index, errmsg }) => ({ place: index, reason: errmsg ?? 'it gives no reason' })),
    }
  }
}

/** Whether all writes failed for the content of one of them: an error of the driver's writer, or such a code. */
const isOfContent = (error: unknown): boolean =>
  !(error instanceof MongoError) || error instanceof MongoInvalidArgumentError || contentFaults.has(Number(error.code))

/** Does the writes of each half apart, down to the one that failed them all. Writing the others again is harmless. */
async function writeApart(
  collection: Collection,
  writes: AnyBulkWriteOperation<Document>[],
  error: unknown,
): Promise<RejectedWrites> {
  if (writes.length === 1) {
    const reason = error instanceof Error ? error.message : inText(error)
    return { matched: 0, modified: 0, duplicates: [], refused: [{ place: 0, reason }] }
  }
  const middle = Math.ceil(writes.length / 2)
  const first = await writeUnordered(collection, writes.slice(0, middle))
  const second = await writeUnordered(collection, writes.slice(middle))
  return {
    matched: first.matched + second.matched,
    modified: first.modified + second.modified,
    duplicates: [...first.duplicates, ...second.duplicates.map((place) => place + middle)],
    refused: [...first.refused, ...second.refused.map((each) => ({ ...each, place: each.place + middle }))],
  }
}
