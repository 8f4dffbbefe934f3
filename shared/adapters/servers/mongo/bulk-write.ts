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

/** The outcome of writes. */
export interface WriteOutcome {
  /** How many documents were inserted, or found. */
  written: number
  /** The first write that the database does not accept for what it holds, or that the driver cannot write; null: none. */
  refused: { place: number; reason: string } | null
}

/**
 * Does all of these writes that the database accepts, in no order. A write that cannot be done for what it holds is
 * reported, and stops no other one. An insert of an `_id` that is taken is not written.
 */
export async function writeUnordered(
  collection: Collection,
  writes: AnyBulkWriteOperation<Document>[],
): Promise<WriteOutcome> {
  if (writes.length === 0) {
    return { written: 0, refused: null }
  }
  try {
    const { insertedCount, matchedCount } = await collection.bulkWrite(writes, { ordered: false })
    return { written: insertedCount + matchedCount, refused: null }
  } catch (error) {
    const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
    if (failures.some(({ code }) => serverFaults.has(code)) || (failures.length === 0 && !isOfContent(error))) {
      throw error
    }
    if (!(error instanceof MongoBulkWriteError) || failures.length === 0) {
      return writeApart(collection, writes, error)
    }
    const refused = failures.find(({ code }) => code !== duplicateKey)
    return {
      written: error.insertedCount + error.matchedCount,
      refused: refused === undefined ? null : { place: refused.index, reason: refused.errmsg ?? 'it gives no reason' },
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
): Promise<WriteOutcome> {
  if (writes.length === 1) {
    return { written: 0, refused: { place: 0, reason: error instanceof Error ? error.message : inText(error) } }
  }
  const middle = Math.ceil(writes.length / 2)
  const first = await writeUnordered(collection, writes.slice(0, middle))
  const second = await writeUnordered(collection, writes.slice(middle))
  return {
    written: first.written + second.written,
    refused: first.refused ?? (second.refused && { ...second.refused, place: second.refused.place + middle }),
  }
}
