import { type Db, MongoClient, MongoError, MongoParseError, MongoServerError } from 'mongodb'
import { AppError, operatorError, queryTimeout, unavailable } from '../../../runtime/errors.js'
import { EndingConnection } from './ending-connection.js'
import { isTimeExpired } from './query-time.js'

/** How long an operation waits for a suitable server. */
const selectionTimeoutMs = 5_000

/** How long an operation may take; the longest is an aggregation over the whole catalog. */
const answerTimeoutMs = 120_000

/** The database's name when the address has none. */
const defaultDatabase = 'catalog'

/** MongoDB's codes of errors that an operator can fix. */
const notPermitted = new Set([13, 18, 8000])

/** E11000: a unique index has the value already. */
export const duplicateKey = 11_000

/** A connection to the catalog's database. */
export interface MongoConnection {
  client: MongoClient
  db: Db
}

/**
 * Connects to the database that the address names (`catalog` when it names none).
 *
 * @param writes whether locks and records are written; false: it may read from secondaries, as its address says
 * @throws AppError `bad_configuration` for an invalid address; `catalog_not_permitted` when it refuses access;
 * `catalog_unavailable` when it does not answer
 */
export async function connectMongo(url: string, writes = true): Promise<MongoConnection> {
  const client = openClient(url, writes)
  try {
    await client.connect()
  } catch (error) {
    await client.close()
    throw toAppError(error)
  }
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1]
  return { client, db: client.db(named === undefined ? defaultDatabase : decodeURIComponent(named)) }
}

function openClient(url: string, writes: boolean): MongoClient {
  try {
    return new MongoClient(url, {
      connectionType: EndingConnection,
      serverSelectionTimeoutMS: selectionTimeoutMs,
      socketTimeoutMS: answerTimeoutMs,
      // A server that hangs is noticed by its heartbeat, which ends its running calls.
      connectTimeoutMS: selectionTimeoutMs,
      heartbeatFrequencyMS: selectionTimeoutMs,
      // A lagging secondary would return an old lock or position, and a write that is not on most servers may be undone.
      ...(writes ? { readPreference: 'primary' as const, writeConcern: { w: 'majority' as const } } : {}),
      // Bytes that are not UTF-8 become U+FFFD: one damaged text must not make all documents of a batch unreadable.
      enableUtf8Validation: false,
      // Undefined members are left out; the driver would store them as null.
      ignoreUndefined: true,
      appName: 'skill-catalog',
    })
  } catch (error) {
    // The message may hold the address, and that the password.
    throw operatorError(
      'bad_configuration',
      'MONGODB_URL is no address of a MongoDB. It looks like mongodb://user:password@host:27017/catalog',
      error,
    )
  }
}

/** Runs an operation, and translates errors of the driver to AppErrors. */
export async function translated<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation()
  } catch (error) {
    throw toAppError(error)
  }
}

/** Translates an error of the driver to an AppError; returns other errors as they are. */
export function toAppError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof MongoError)) {
    return error
  }
  if (error instanceof MongoParseError) {
    return operatorError('bad_configuration', 'MONGODB_URL is no address of a MongoDB.', error)
  }
  if (error instanceof MongoServerError && notPermitted.has(Number(error.code))) {
    return operatorError(
      'catalog_not_permitted',
      'MongoDB refuses access: check user and password in MONGODB_URL. The user needs readWrite on the database it names.',
      error,
    )
  }
  if (isTimeExpired(error)) {
    return queryTimeout(
      'MongoDB did not answer a query within its time limit: it has too much to do, or lacks an index.',
      error,
    )
  }
  return unavailable('catalog_unavailable', 'The catalog is unavailable. Try again in a few seconds.', 5, error)
}

/**
 * What MongoDB answered to a command that it refused; null: it did not answer, or is changing its state, as every error
 * with a label.
 *
 * @param error of the driver, or the AppError that it became
 */
export function refusalOf(error: unknown): string | null {
  const cause = error instanceof AppError ? error.cause : error
  return cause instanceof MongoServerError && cause.errorLabels.length === 0
    ? `${cause.message} (${cause.codeName ?? cause.code})`
    : null
}

/** Whether this is MongoDB's error for a duplicate value in a unique index. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === duplicateKey

/** The database's own clock: times that are compared with each other must come from one clock. */
export async function serverTime(db: Db): Promise<Date> {
  return (await db.command({ hello: 1 }))['localTime']
}
